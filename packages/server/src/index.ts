/** The agent's control socket and HTTP endpoints. What goes over them: `@hooklet/streams`. */
export { type BoundServers, bindServers, type ServerOptions, type Servers, startServers } from "./servers.js";
