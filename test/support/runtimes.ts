/** The runtimes of this machine, for stories that shall be the same on all: local processes, and a private containerd. */
import { execFile, execFileSync } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { root } from "../sources.js";

const run = promisify(execFile);
const script = path.join(root, "scripts/containerd.mjs");

export interface RealRuntime {
  readonly name: string;
  /** The rc file's `runtime`. */
  readonly rc: unknown;
  /** An image with a shell. */
  readonly image: string;
  /** The folder on whose disk images and writable layers lie, where that is none of the agent's. */
  readonly imageFolder?: string;
  /** Brings images of random bytes, `name=megabytes` each; undefined where the agent imports them. */
  readonly blobs?: (...blobs: readonly string[]) => Promise<void>;
  stop(): Promise<void>;
}

export interface RuntimeOnOffer {
  readonly name: string;
  /** Why there is none here. */
  readonly lacking: string | undefined;
  /**
   * @param instance at most 8 letters: several test files run side by side
   * @param disk megabytes of a disk of its own for images and writable layers, where the runtime has its own folder
   */
  start(instance: string, disk?: number): Promise<RealRuntime>;
}

const processes: RuntimeOnOffer = {
  name: "local processes",
  lacking: undefined,
  start: async () => ({ name: "process", rc: { use: "process" }, image: "host", stop: async () => {} }),
};

const containerd: RuntimeOnOffer = {
  name: "real containerd",
  lacking: lackingContainerd(),
  start: async (instance, disk) => {
    const own = disk === undefined ? [] : ["--disk", String(disk)];
    const { stdout } = await run(process.execPath, [script, "start", "--name", instance, ...own]);
    return {
      name: "cri",
      rc: { use: "cri", options: { endpoint: `unix://${stdout.trim()}` } },
      image: "hk.local/busybox:1",
      imageFolder: path.join(path.dirname(stdout.trim()), "root"),
      blobs: async (...blobs) => {
        await run(process.execPath, [script, "blobs", "--name", instance, ...blobs]);
      },
      stop: async () => {
        await run(process.execPath, [script, "stop", "--name", instance]);
      },
    };
  },
};

export const runtimes: readonly RuntimeOnOffer[] = [processes, containerd];

function lackingContainerd(): string | undefined {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return "a private containerd needs root on Linux";
  try {
    for (const program of ["containerd", "ctr", "runc"]) execFileSync("which", [program], { stdio: "ignore" });
    return undefined;
  } catch {
    return "containerd is not installed: node scripts/containerd.mjs install";
  }
}
