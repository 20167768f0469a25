/** The command line. For clients of the agent's socket: `@hooklet/cli/client`. */
export { main } from "./main.js";
export { type CliHost, clientCommands } from "./program.js";
