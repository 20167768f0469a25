/** The agent's control socket and HTTP endpoints. What goes over them: `@hooklet/server/wire`. */
export { type Servers, startServers } from "./servers.js";
