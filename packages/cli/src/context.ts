/** What a command gets: the process, the package, and how to find the agent. */
import { join, resolve } from "node:path";
import { defaultRootDir } from "@hooklet/core/base";
import type { AgentClient } from "./client/client.js";
import { type CliHost, type Io, printLine } from "./io.js";

/** Options that every command takes. */
export interface GlobalOptions {
  readonly socket?: string;
  readonly rootDir?: string;
}

export interface Context {
  readonly io: Io;
  readonly host: CliHost;
  readonly global: GlobalOptions;
}

/** `--socket`, else the socket of `--root-dir`, else HOOKLET_SOCKET, else that of the default root dir. */
export function socketPath({ io, global }: Context): string {
  if (global.socket !== undefined) return resolve(io.cwd(), global.socket);
  if (global.rootDir !== undefined) return join(resolve(io.cwd(), global.rootDir), "hooklet.sock");
  if (io.env.HOOKLET_SOCKET) return resolve(io.cwd(), io.env.HOOKLET_SOCKET);
  return join(defaultRootDir(process.geteuid?.() ?? -1, io.env), "hooklet.sock");
}

/** Runs `work` with a client, which is closed afterwards. */
export async function withAgent(context: Context, work: (client: AgentClient) => Promise<number>): Promise<number> {
  const { AgentClient } = await import("./client/client.js");
  const { clock, stderr } = context.io;
  const waits = (): void => {
    if (stderr.isTTY === true) void printLine(stderr, "The agent is starting: waiting for it.");
  };
  const client = new AgentClient(socketPath(context), { clock, waits });
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
