/** What a command gets: the process, and how to find the agent. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { defaultRootDir } from "@hooklet/core/base";
import { isNodeAgentError, NodeAgentError } from "@hooklet/utils";
import type { AgentClient } from "./client/client.js";
import { type Io, printLine } from "./io.js";

/** Options that every command takes. */
export interface GlobalOptions {
  readonly socket?: string;
  readonly rootDir?: string;
}

export interface Context {
  readonly io: Io;
  /** Of the package that runs the CLI. */
  readonly version: string;
  readonly global: GlobalOptions;
}

/** `--socket`, else the socket of `--root-dir`, else HOOKLET_SOCKET, else that of the default root dir. */
export function socketPath({ io, global }: Context): string {
  if (global.socket !== undefined) return resolve(io.cwd(), global.socket);
  if (global.rootDir !== undefined) return join(resolve(io.cwd(), global.rootDir), "hooklet.sock");
  if (io.env.HOOKLET_SOCKET) return resolve(io.cwd(), io.env.HOOKLET_SOCKET);
  return defaultSocket(io);
}

function defaultSocket({ env }: Io): string {
  return join(defaultRootDir(process.geteuid?.() ?? -1, env), "hooklet.sock");
}

/** Runs `work` with a client, which is closed afterwards. */
export async function withAgent(context: Context, work: (client: AgentClient) => Promise<number>): Promise<number> {
  const { AgentClient } = await import("./client/client.js");
  const { clock, stderr } = context.io;
  const path = socketPath(context);
  const coming = async (): Promise<boolean> => {
    const { isAboutToListen } = await import("./client/starting-agent.js");
    return isAboutToListen({ path, isDefault: path === defaultSocket(context.io) });
  };
  const waits = (): void => {
    if (stderr.isTTY === true) void printLine(stderr, "The agent is starting: waiting for it.");
  };
  const client = new AgentClient(path, { clock, waits, isAboutToListen: coming });
  try {
    return await work(client);
  } catch (error) {
    throw isNodeAgentError(error, "AGENT_NOT_RUNNING") ? withOther(error, context, existsSync) : error;
  } finally {
    await client.close();
  }
}

/** HOOKLET_SOCKET of another shell's work hides the agent that `hooklet run` has started meanwhile: the error names that one too. */
export function withOther(error: Error, { io, global }: Context, exists: (path: string) => boolean): Error {
  const other = defaultSocket(io);
  const named = global.socket === undefined && global.rootDir === undefined && io.env.HOOKLET_SOCKET;
  if (!named || resolve(io.cwd(), named) === other || !exists(other)) return error;
  const hint = `HOOKLET_SOCKET is set; there is a socket at ${other} as well: unset HOOKLET_SOCKET to ask there.`;
  return new NodeAgentError("AGENT_NOT_RUNNING", `${error.message} ${hint}`, { cause: error.cause });
}
