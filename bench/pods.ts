/** From manifests to running pods on the process runtime, against starting the same chains of processes by a bare loop. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from "node:fs/promises";
import http from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";

import { bareLoop, takeSample } from "./bare-loop.js";
import { pause, until } from "./wait.js";

export const title = "manifests to Running on the process runtime, against a bare loop; then idle cost";

const BINARY = fileURLToPath(new URL("../../packages/hooklet/bin/hooklet.js", import.meta.url));
const SIZES = [10, 100, 500];
const IDLE_SIZES = [0, 110];
/** Starts under way at once, in both. */
const AT_ONCE = 8;
const IDLE_SECONDS = 20;
export async function run(): Promise<void> {
  const rows: Record<string, string>[] = [];
  const keep = await mkdtemp(path.join(tmpdir(), "hooklet-sample-"));
  const sample = await withAgent(1, ({ rootDir }) => takeSample(rootDir, keep));
  for (const size of SIZES) {
    const bare = await bareLoop(size, AT_ONCE, sample);
    const agent = await withAgent(size, async (node) => ({
      milliseconds: node.milliseconds,
      cpu: await node.cpuSeconds(),
    }));
    rows.push({
      pods: String(size),
      "hooklet ms": agent.milliseconds.toFixed(0),
      "bare loop ms": bare.toFixed(0),
      ratio: (agent.milliseconds / bare).toFixed(2),
      "ms per pod": (agent.milliseconds / size).toFixed(1),
      "CPU of the agent, s": agent.cpu.toFixed(2),
    });
  }
  await rm(keep, { recursive: true, force: true });
  console.table(rows);
  const idle: Record<string, string>[] = [];
  for (const size of IDLE_SIZES) {
    idle.push(
      await withAgent(size, async (node) => {
        // Compilers and collectors of the start come to rest.
        await pause(30_000);
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
  console.table(idle);
}

interface Running {
  readonly rootDir: string;
  /** From the rename of the folder's files to the last pod's Running. */
  readonly milliseconds: number;
  cpuSeconds(): Promise<number>;
  residentBytes(): Promise<number>;
}

async function withAgent<T>(pods: number, use: (node: Running) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), "hooklet-bench-"));
  const manifests = path.join(folder, "manifests");
  await mkdir(manifests);
  const config = path.join(folder, "hookletrc.json");
  await writeFile(config, JSON.stringify({ node: { name: "bench", maxPods: 1000 }, sources: { manifests } }));
  const args = ["run", "--config", config, "--root-dir", path.join(folder, "root"), "--port", "0"];
  const agent = spawn(BINARY, args, {
    stdio: ["ignore", "ignore", "pipe"],
  });
  // Asking for all pods every few milliseconds would cost the agent more than its work does.
  let started = 0;
  createInterface(agent.stderr as Readable).on("line", (line) => {
    if (line.includes("Started container main")) started++;
  });
  try {
    await until(async () => (await running(folder)) !== undefined);
    const files = Array.from({ length: pods }, (_, i) => `p${i}.json`);
    for (const file of files) await writeFile(path.join(folder, file), manifest(file.slice(0, -5)));
    const began = performance.now();
    for (const file of files) await rename(path.join(folder, file), path.join(manifests, file));
    await until(async () => started === pods);
    await until(async () => (await running(folder)) === pods);
    const milliseconds = performance.now() - began;
    const pid = agent.pid as number;
    return await use({
      rootDir: path.join(folder, "root"),
      milliseconds,
      cpuSeconds: () => cpuSeconds(pid),
      residentBytes: () => residentBytes(pid),
    });
  } finally {
    await stop(agent);
    await rm(folder, { recursive: true, force: true });
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

/** How many pods run; undefined when nobody answers yet. */
function running(folder: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const request = http.get({ socketPath: path.join(folder, "root", "hooklet.sock"), path: "/pods" }, (response) => {
      const pieces: Buffer[] = [];
      response.on("data", (piece: Buffer) => pieces.push(piece));
      response.on("end", () => {
        const { items } = JSON.parse(Buffer.concat(pieces).toString()) as { items: { status?: { phase?: string } }[] };
        resolve(items.filter(({ status }) => status?.phase === "Running").length);
      });
    });
    request.on("error", () => resolve(undefined));
  });
}

async function cpuSeconds(pid: number): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}

/** Ctrl-C stops the pods too; a second one at once. */
async function stop(agent: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => agent.once("exit", resolve));
  agent.kill("SIGINT");
  await ended;
}
