/** The command line. Whoever writes a client of the agent's socket: `@hooklet/cli/client`. */
export { type CliHost, type Io, main, type Scenarios } from "./main.js";
