/** The plugin's interface to systemd-logind, which delays a shutdown while inhibitor locks are held. */

import { execFile, spawn } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { defineSeam } from "@hooklet/core/subsystem";
import { writeFileAtomic } from "@hooklet/linux";

export interface Lock {
  /** Releases the lock; the shutdown continues. May be called twice. */
  release(): void;
  /** Resolves once the lock is released, by either side. */
  readonly gone: Promise<void>;
}

export interface Logind {
  /** Seconds for which a shutdown is held up at most. Rejects where there is no logind. */
  longestDelay(): Promise<number>;
  /** Asks for more; it counts a moment later. */
  setLongestDelay(seconds: number): Promise<void>;
  /** Holds the next shutdown up. */
  inhibit(): Promise<Lock>;
  /** Whether a shutdown is under way. */
  isGoingDown(): Promise<boolean>;
  /** Calls back when that may have changed, until the signal aborts. Rejects when the listener has ended. */
  watch(changed: () => void, signal: AbortSignal): Promise<void>;
}

// logind through its own programs: busctl calls and listens, systemd-inhibit holds the lock. The lock is a descriptor passed over D-Bus, which no pure
// JavaScript library can receive; both programs exist wherever logind does.

const run = promisify(execFile);
/** Milliseconds that a question may take. */
const DEADLINE = 10_000;
const MANAGER = ["org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager"] as const;
const SYSTEMD = ["org.freedesktop.systemd1", "/org/freedesktop/systemd1", "org.freedesktop.systemd1.Manager"] as const;
/** From logind alone: any program on the bus may send a signal of this name. */
const MATCH =
  "type='signal',sender='org.freedesktop.login1',path='/org/freedesktop/login1',interface='org.freedesktop.login1.Manager',member='PrepareForShutdown'";
const OVERRIDE = "/etc/systemd/logind.conf.d/99-kubelet.conf";
const SIGHUP = "1";

interface ProcessOptions {
  /** The kubelet's own file, so that a node that changes between the two has one setting. */
  readonly override?: string;
}

export function logindProcesses({ override = OVERRIDE }: ProcessOptions = {}): Logind {
  return {
    async longestDelay() {
      const microseconds = Number((await property("InhibitDelayMaxUSec")).replace(/^t /, ""));
      if (!Number.isFinite(microseconds))
        throw new Error("logind does not say how long it waits (InhibitDelayMaxUSec)");
      return microseconds / 1_000_000;
    },
    async setLongestDelay(seconds) {
      await mkdir(dirname(override), { recursive: true });
      const text = `# Kubelet logind override\n[Login]\nInhibitDelayMaxSec=${Math.ceil(seconds)}\n`;
      await writeFileAtomic(override, text, { mode: 0o644 });
      await busctl("call", ...SYSTEMD, "KillUnit", "ssi", "systemd-logind.service", "all", SIGHUP);
    },
    inhibit,
    async isGoingDown() {
      return (await property("PreparingForShutdown")) === "b true";
    },
    watch,
  };
}

async function busctl(...words: readonly string[]): Promise<string> {
  const { stdout } = await run("busctl", ["--system", ...words], { timeout: DEADLINE });
  return stdout.trim();
}

function property(name: string): Promise<string> {
  return busctl("get-property", ...MANAGER, name);
}

/** The lock goes with the program, and the program with its input: an agent that is killed holds nothing up. */
function inhibit(): Promise<Lock> {
  const words = [
    "--what=shutdown",
    "--mode=delay",
    "--who=kubelet",
    "--why=Kubelet needs time to handle node shutdown",
  ];
  // A first byte says that the lock is held: systemd-inhibit starts the command once it is.
  const holder = spawn("systemd-inhibit", [...words, "sh", "-c", "echo held; exec cat"], {
    stdio: ["pipe", "pipe", "pipe"],
  });
  let said = "";
  holder.stderr.on("data", (text: Buffer) => {
    said = `${said}${text}`.slice(0, 500);
  });
  // It ended before its input did; "close" reports that.
  holder.stdin.on("error", () => undefined);
  const gone = new Promise<void>((resolve) => {
    holder.once("close", () => resolve());
    holder.once("error", () => resolve());
  });
  return new Promise((resolve, reject) => {
    holder.once("error", reject);
    holder.stdout.once("data", () => resolve({ gone, release: () => void holder.stdin.end() }));
    void gone.then(() => reject(new Error(`systemd-inhibit ended: ${said.trim() || "no words"}`)));
  });
}

function watch(changed: () => void, signal: AbortSignal): Promise<void> {
  const words = ["--system", "--json=short", `--match=${MATCH}`, "monitor"];
  const listener = spawn("busctl", words, { stdio: ["ignore", "pipe", "pipe"], signal });
  let said = "";
  listener.stderr.on("data", (text: Buffer) => {
    said = `${said}${text}`.slice(0, 500);
  });
  // Each line is a signal; whether a shutdown is under way is asked, not parsed from it.
  createInterface({ input: listener.stdout }).on("line", changed);
  return new Promise((_, reject) => {
    listener.once("error", reject);
    listener.once("close", () => reject(new Error(`busctl monitor ended: ${said.trim() || "no words"}`)));
  });
}

/** The machine's own. */
export const logind = defineSeam<Logind>("@hooklet/plugin-shutdown/logind", logindProcesses());
