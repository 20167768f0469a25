/**
 * When the containers of a crowd run, on a runtime that does one thing at a time, against a bare loop of the same work, eight pods
 * at a time.
 * STARTS_BENCH_PODS=110 for one size.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { cpuSecondsOf } from "./processes.js";
import { pause, until } from "./wait.js";

export const title = "starts of many pods on a runtime that does one thing at a time, against a bare loop";

const BINARY = fileURLToPath(new URL("../../packages/hooklet/bin/hooklet.js", import.meta.url));
const RUNTIME = fileURLToPath(new URL("./starts/slow-runtime.js", import.meta.url));
const SIZES = (process.env.STARTS_BENCH_PODS ?? "10,110,500").split(",").map(Number);
/** Milliseconds. */
const WORK = { sandbox: 60, create: 20, start: 20 };
const AT_ONCE = 8;

export async function run(): Promise<void> {
  const rows: Record<string, string>[] = [];
  for (const size of SIZES) {
    const bare = await bareLoop(size);
    const { times, cpu } = await starts(size);
    const at = (all: readonly number[], share: number): string =>
      (all[Math.ceil(size * share) - 1] ?? Number.NaN).toFixed(0);
    rows.push({
      pods: String(size),
      "first ms": at(times, 1 / size),
      "bare first": at(bare, 1 / size),
      "median ms": at(times, 0.5),
      "bare median": at(bare, 0.5),
      "last ms": at(times, 1),
      "bare last": at(bare, 1),
      "agent CPU s": cpu.toFixed(2),
    });
  }
  console.table(rows);
}

async function bareLoop(pods: number): Promise<readonly number[]> {
  let last = Promise.resolve();
  const work = (milliseconds: number): Promise<void> => {
    last = last.then(() => pause(milliseconds));
    return last;
  };
  const times: number[] = [];
  const began = performance.now();
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next++ < pods) {
      await work(WORK.sandbox);
      await work(WORK.create);
      await work(WORK.start);
      times.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return times;
}

/** After how many milliseconds from the first manifest each container ran, ascending. */
async function starts(pods: number): Promise<{ readonly times: readonly number[]; readonly cpu: number }> {
  const folder = await mkdtemp(path.join(tmpdir(), "hooklet-bench-"));
  const [manifests, staged, reported] = ["manifests", "new", "reported"].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const each of [manifests, staged]) await mkdir(each);
  await writeFile(reported, "");
  const config = path.join(folder, "hookletrc.json");
  const settings = {
    port: 0,
    node: { name: "bench", maxPods: 1000, evictionHard: {}, capacity: { cpu: "64", memory: "64Gi" } },
    runtime: { use: RUNTIME, options: { ...WORK, reported } },
    sources: { manifests },
  };
  await writeFile(config, JSON.stringify(settings), { mode: 0o600 });
  for (let i = 0; i < pods; i++) await writeFile(path.join(staged, `p${i}.json`), manifest(`p${i}`));
  const args = ["run", "--config", config, "--root-dir", path.join(folder, "root"), "--log-level", "info"];
  const agent = spawn(BINARY, args, { stdio: ["ignore", "ignore", "pipe"] });
  try {
    await up(agent);
    // What is measured is the start of pods, not that of the agent.
    await pause(1_500);
    const pid = agent.pid as number;
    const before = await cpuSecondsOf(pid);
    const began = Date.now();
    for (let i = 0; i < pods; i++) await rename(path.join(staged, `p${i}.json`), path.join(manifests, `p${i}.json`));
    let times: readonly number[] = [];
    await until(async () => {
      times = (await readFile(reported, "utf8")).split("\n").filter(Boolean).map(Number);
      return times.length >= pods;
    }, 250);
    return { times: times.map((time) => time - began).sort((a, b) => a - b), cpu: (await cpuSecondsOf(pid)) - before };
  } finally {
    const ended = new Promise((resolve) => agent.once("exit", resolve));
    if (agent.exitCode === null) {
      agent.kill("SIGTERM");
      await ended;
    }
    await rm(folder, { recursive: true, force: true });
  }
}

function up(agent: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = "";
    agent.stderr?.on("data", (piece: Buffer) => {
      said += piece.toString();
      if (said.includes("The agent runs")) resolve();
    });
    agent.once("exit", () => reject(new Error(`the agent ended: ${said}`)));
  });
}

function manifest(name: string): string {
  const containers = [{ name: "main", image: "app:1", imagePullPolicy: "IfNotPresent" }];
  return JSON.stringify({ apiVersion: "v1", kind: "Pod", metadata: { name }, spec: { containers } });
}
