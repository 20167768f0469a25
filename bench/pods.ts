/**
 * From manifests to running pods on the process runtime, beside the least that one container needs: a process with its own mounts, IPC
 * and PIDs. PODS_BENCH_SIZES=100 PODS_BENCH_ROUNDS=1 PODS_BENCH_IDLE= for a short look; PODS_BENCH_OTHER=PATH/bin/hooklet.js measures
 * another build in alternation.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

import { mountPoints } from "@hooklet/linux";
import { hooklet } from "./cri/programs.js";
import { cpuSecondsOf, residentBytesOf } from "./processes.js";
import { growth, median } from "./statistics.js";
import { pause, until } from "./wait.js";

export const title = "manifests to Running on the process runtime, beside bare processes in namespaces; then idle cost";

const BINARY = fileURLToPath(new URL("../../packages/hooklet/bin/hooklet.js", import.meta.url));
const OTHER = process.env.PODS_BENCH_OTHER;
const numbers = (text: string): number[] => text.split(",").filter(Boolean).map(Number);
const SIZES = numbers(process.env.PODS_BENCH_SIZES ?? "10,100,250,500,1000");
/** Of each size; the table has the medians. */
const ROUNDS = Number(process.env.PODS_BENCH_ROUNDS ?? 3);
const IDLE_SIZES = numbers(process.env.PODS_BENCH_IDLE ?? "0,110");
/** Starts under way at once, in both. */
const AT_ONCE = 8;
const IDLE_SECONDS = 20;

/**
 * All runs, then all deletions: ext4 goes through what it deleted in the last minutes, one by one, for every file it
 * makes, and the run after a deletion would measure that.
 */
export async function run(): Promise<void> {
  const place = await mkdtemp(path.join(tmpdir(), "hooklet-bench-"));
  try {
    await starts(place);
    await idle(place);
  } finally {
    await rm(place, { recursive: true, force: true });
  }
}

async function starts(place: string): Promise<void> {
  const rows: Record<string, string>[] = [];
  let former: { readonly pods: number; readonly wall: number; readonly cpu: number } | undefined;
  for (const size of SIZES) {
    const bare: number[] = [];
    const own = new Starts();
    const other = new Starts();
    for (let round = 0; round < ROUNDS; round++) {
      bare.push(await bareStarts(size));
      await withAgent(place, size, (node) => own.take(node));
      if (OTHER !== undefined) await withAgent(place, size, (node) => other.take(node), OTHER);
    }
    const now = { pods: size, wall: median(own.wall), cpu: median(own.cpu) };
    rows.push({
      pods: String(size),
      "hooklet ms": now.wall.toFixed(0),
      "bare ms": median(bare).toFixed(0),
      ratio: (now.wall / median(bare)).toFixed(2),
      "ms per pod": (now.wall / size).toFixed(1),
      "grows by": growth(size, now.wall, former && { pods: former.pods, figure: former.wall }),
      "CPU of the agent, s": now.cpu.toFixed(2),
      "CPU grows by": growth(size, now.cpu, former && { pods: former.pods, figure: former.cpu }),
      ...(OTHER !== undefined && {
        "other ms": median(other.wall).toFixed(0),
        "its CPU, s": median(other.cpu).toFixed(2),
      }),
    });
    former = now;
  }
  console.table(rows);
}

class Starts {
  readonly wall: number[] = [];
  readonly cpu: number[] = [];

  async take(node: Running): Promise<void> {
    this.wall.push(node.milliseconds);
    this.cpu.push(await node.cpuSeconds());
  }
}

/** Milliseconds until the last of them runs. */
async function bareStarts(count: number): Promise<number> {
  const started: ChildProcess[] = [];
  const began = performance.now();
  const worker = async (): Promise<void> => {
    while (started.length < count) {
      const words = ["--mount", "--ipc", "--pid", "--fork", "--kill-child", "sh", "-c", "echo up; exec sleep 3600"];
      const child = spawn("unshare", words, { stdio: ["ignore", "pipe", "inherit"] });
      started.push(child);
      await once(child.stdout, "data");
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  const milliseconds = performance.now() - began;
  await Promise.all(started.map(stop));
  return milliseconds;
}

async function idle(place: string): Promise<void> {
  const rows: Record<string, string>[] = [];
  for (const size of IDLE_SIZES) {
    rows.push(
      await withAgent(place, size, async (node) => {
        // Compilers and collectors of the start come to rest.
        await pause(70_000);
        const before = await node.cpuSeconds();
        await pause(IDLE_SECONDS * 1000);
        const used = (await node.cpuSeconds()) - before;
        return {
          pods: String(size),
          "idle CPU, % of a core": ((100 * used) / IDLE_SECONDS).toFixed(2),
          "RSS, MiB": ((await node.residentBytes()) / 2 ** 20).toFixed(0),
        };
      }),
    );
  }
  console.table(rows);
}

interface Running {
  /** From the rename of the folder's files to the last pod's Running. */
  readonly milliseconds: number;
  cpuSeconds(): Promise<number>;
  residentBytes(): Promise<number>;
}

async function withAgent<T>(
  place: string,
  pods: number,
  use: (node: Running) => Promise<T>,
  binary = BINARY,
): Promise<T> {
  const folder = await mkdtemp(path.join(place, "agent-"));
  const manifests = path.join(folder, "manifests");
  await mkdir(manifests);
  const config = path.join(folder, "hookletrc.json");
  await writeFile(config, JSON.stringify({ node: { name: "bench", maxPods: 1000 }, sources: { manifests } }));
  const args = ["run", "--config", config, "--root-dir", path.join(folder, "root"), "--port", "0"];
  const agent = spawn(binary, args, {
    stdio: ["ignore", "ignore", "pipe"],
  });
  // Asking for all pods every few milliseconds would cost the agent more than its work does.
  let started = 0;
  createInterface(agent.stderr as Readable).on("line", (line) => {
    if (line.includes("Started container main")) started++;
  });
  try {
    await until(async () => (await running(folder)) !== undefined);
    // What is measured is the start of pods, not that of the agent.
    await pause(1_500);
    const files = Array.from({ length: pods }, (_, i) => `p${i}.json`);
    for (const file of files) await writeFile(path.join(folder, file), manifest(file.slice(0, -5)));
    const began = performance.now();
    for (const file of files) await rename(path.join(folder, file), path.join(manifests, file));
    await until(async () => started === pods, 20, 600_000);
    await until(async () => (await running(folder)) === pods);
    const milliseconds = performance.now() - began;
    const pid = agent.pid as number;
    return await use({
      milliseconds,
      cpuSeconds: () => cpuSecondsOf(pid),
      residentBytes: () => residentBytesOf(pid),
    });
  } finally {
    await stop(agent);
    await killContainers(path.join(folder, "root", "runtime-process", "containers"));
    // The next agent would find the cgroups of this one's pods beside its own, and the /dev/shm of their sandboxes among the mounts.
    await hooklet().leave(folder);
    for (const mount of mountPoints().filter((at) => at.startsWith(`${folder}/`))) execFileSync("umount", [mount]);
  }
}

function manifest(name: string): string {
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name },
    spec: {
      terminationGracePeriodSeconds: 1,
      dnsPolicy: "Default",
      containers: [{ name: "main", image: "host", command: ["sleep", "3600"] }],
    },
  });
}

/** How many pods run; undefined when no agent answers yet. */
function running(folder: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const request = http.get({ socketPath: path.join(folder, "root", "hooklet.sock"), path: "/pods" }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("end", () => {
        // It says so while it starts.
        if (response.statusCode !== 200) return resolve(undefined);
        const { items } = JSON.parse(Buffer.concat(pieces).toString()) as { items: { status?: { phase?: string } }[] };
        resolve(items.filter(({ status }) => status?.phase === "Running").length);
      });
    });
    request.on("error", () => resolve(undefined));
  });
}

/** In a way that deletes nothing. */
async function stop(agent: ChildProcess): Promise<void> {
  if (agent.exitCode !== null || agent.signalCode !== null) return;
  const ended = new Promise((resolve) => agent.once("exit", resolve));
  agent.kill("SIGKILL");
  await ended;
}

/** Their processes, also of containers that were never set up whole; what they have on disk stays. */
async function killContainers(folder: string): Promise<void> {
  for (const id of await readdir(folder).catch(unlessGone)) {
    const [, main, shim] = await lines(path.join(folder, id, "pids"));
    for (const process of [main, shim]) await kill(Number.parseInt(process ?? "", 10));
  }
}

async function lines(file: string): Promise<readonly string[]> {
  const text = await readFile(file, "utf8").catch(unlessGone);
  return typeof text === "string" ? text.split("\n").filter((line) => line !== "") : [];
}

async function kill(pid: number): Promise<void> {
  if (Number.isNaN(pid)) return;
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    unlessGone(error);
  }
  await until(() => hasEnded(pid));
}

/** Gone, or dead and not yet looked after by the machine's init, which in a container may take its time. */
async function hasEnded(pid: number): Promise<boolean> {
  const [stat] = await lines(`/proc/${pid}/stat`);
  return stat === undefined || /\) [ZX] /.test(stat);
}

function unlessGone(error: unknown): readonly never[] {
  if (!["ENOENT", "ESRCH"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  return [];
}
