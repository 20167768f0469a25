/** One agent per root directory. */
import { createHash } from "node:crypto";
import { realpath } from "node:fs/promises";
import { connect, createServer, type Server } from "node:net";
import { type Clock, withDeadline } from "../clock.js";
import { NodeAgentError } from "../errors.js";

export interface RootDirLock {
  /** Lets the next agent in. May be called twice. */
  release(): Promise<void>;
}

/**
 * Locks an existing root directory for this process. The lock is an abstract unix socket named after the directory's real
 * path: the kernel drops it with the process, even after kill -9, and it needs no writable disk. It is seen by all
 * processes of one network namespace. Rejects with ROOT_DIR_LOCKED, naming the holder's pid where it answers.
 */
export async function lockRootDir(rootDir: string, clock: Clock): Promise<RootDirLock> {
  const name = socketName(await realpath(rootDir));
  const server = createServer((peer) => {
    peer.on("error", () => {});
    peer.end(`${process.pid}\n`);
  });
  try {
    await listen(server, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error;
    const holder = await holderOf(name, clock);
    throw new NodeAgentError(
      "ROOT_DIR_LOCKED",
      `Another agent${holder === undefined ? "" : ` (pid ${holder})`} uses the root directory ${rootDir}; ` +
        "expected to be alone there; stop that agent, or give this one its own --root-dir",
    );
  }
  server.unref();
  return { release: () => new Promise((resolve) => server.close(() => resolve())) };
}

/** Exactly as long as an address can be: some Node versions pad shorter ones, which would make another name of it. */
export function socketName(directory: string): string {
  const hash = createHash("sha256").update(directory).digest("hex");
  return `\0hooklet-${hash}`.padEnd(108, "-");
}

function listen(server: Server, name: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen(name, () => {
      server.off("error", reject);
      resolve();
    });
  });
}

async function holderOf(name: string, clock: Clock): Promise<string | undefined> {
  const peer = connect(name).setEncoding("utf8");
  const answer = new Promise<string>((resolve, reject) => {
    peer.once("data", (data) => resolve(String(data)));
    peer.once("error", reject);
    peer.once("close", () => reject(new Error("no answer")));
  });
  try {
    const text = await withDeadline(clock, 500, answer, () => new Error("no answer"));
    return /^\d{1,10}$/.test(text.trim()) ? text.trim() : undefined;
  } catch {
    return undefined;
  } finally {
    peer.destroy();
  }
}
