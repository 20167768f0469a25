/** The command line. For clients of the agent's socket: `@hooklet/cli/client`. */
export { clientCommands } from "./declare/client-commands.js";
export { main } from "./main.js";
export type { CliHost } from "./program.js";
