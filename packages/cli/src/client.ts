/** The client of an agent's control socket. */
export { AgentClient, type EventQuery, type LogQuery } from "./client/agent-client.js";
export type { ExecOptions, ExecSession, TakeOutput } from "./client/exec.js";
export { AgentAnswerError, type Patience } from "./client/transport.js";
