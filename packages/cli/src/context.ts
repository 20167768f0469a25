/** What a command gets: the process, and how to find the agent. */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { defaultRootDir } from "@hooklet/core/base";
import { isNodeAgentError, NodeAgentError } from "@hooklet/utils";
import type { AgentClient } from "./client/agent-client.js";
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
  const { AgentClient } = await import("./client/agent-client.js");
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
    throw isNodeAgentError(error, "AGENT_NOT_RUNNING")
      ? withOther(error, context, { exists: existsSync, read })
      : error;
  } finally {
    await client.close();
  }
}

/** Files of the machine that a hint depends on. */
export interface Looks {
  exists(path: string): boolean;
  /** Undefined: there is no such file, or it is none that is to be read for this. */
  read(path: string): string | undefined;
}

const MAX_RC_BYTES = 64 * 1024;

function read(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found?.isFile() === true && found.size <= MAX_RC_BYTES ? readFileSync(path, "utf8") : undefined;
}

/** Where another agent may be: HOOKLET_SOCKET of another shell's work hides the default one, and an rc file may name another root dir. */
export function withOther(error: Error, context: Context, looks: Looks): Error {
  const { io, global } = context;
  if (global.socket !== undefined || global.rootDir !== undefined) return error;
  const hint = byRcFile(context, looks) ?? byDefault(io, looks);
  return hint === undefined
    ? error
    : new NodeAgentError("AGENT_NOT_RUNNING", `${error.message} ${hint}`, { cause: error.cause });
}

function byDefault(io: Io, { exists }: Looks): string | undefined {
  const other = defaultSocket(io);
  const named = io.env.HOOKLET_SOCKET;
  if (!named || resolve(io.cwd(), named) === other || !exists(other)) return undefined;
  return `HOOKLET_SOCKET is set; there is a socket at ${other} as well: unset HOOKLET_SOCKET to ask there.`;
}

/** Those that `hooklet run` finds, where the rc file is no program. */
const RC_FILES = [".hookletrc", ".hookletrc.json", ".hookletrc.yaml", ".hookletrc.yml"];
const ROOT_DIR = /^\s*["']?rootDir["']?\s*:\s*["']?([^\s"',#]+)/m;

function byRcFile(context: Context, { exists, read }: Looks): string | undefined {
  for (const folder of [context.io.cwd(), "/etc/hooklet"]) {
    for (const name of RC_FILES) {
      const file = join(folder, name);
      let rootDir: string | undefined;
      try {
        rootDir = ROOT_DIR.exec(read(file) ?? "")?.[1];
      } catch {
        // Only its owner may read it.
      }
      if (rootDir === undefined) continue;
      const whole = resolve(folder, rootDir);
      const socket = join(whole, "hooklet.sock");
      if (socket === socketPath(context) || !exists(socket)) continue;
      return `${file} names the root dir ${whole}, and a socket is there: add --root-dir ${whole}.`;
    }
  }
  return undefined;
}
