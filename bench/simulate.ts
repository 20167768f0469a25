/** Scenarios in virtual time: how long whole runs take in a process of their own, and the memory that they need from first to last. */
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { VirtualClock } from "@hooklet/sim";
import type { Measured } from "./simulate/child.js";

export const title = "simulate: days of a node in virtual time";

interface Case {
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
  /** Timers that a bare clock would run for it: the naive baseline, which decides nothing. */
  readonly timers: number;
  /** Containers that have to have run, or nothing was measured. */
  readonly containers: number;
  /** Virtual seconds. */
  readonly until: number;
}

const DAY = 86_400;
const PROBES = ["livenessProbe", "readinessProbe", "startupProbe"].map(
  (kind) => `${kind}: { httpGet: { port: 80 }, periodSeconds: 10 }`,
);

/** Pods that are probed three times each, every ten seconds. */
function probed(pods: number, hours: number): Case {
  const container = `{ name: main, image: "web:1", ${PROBES.join(", ")} }`;
  const apply = `{ metadata: { name: web }, spec: { containers: [${container}] } }`;
  const text = `node: { cpu: "64", memory: 256Gi }\ntimeline:\n  - { at: 0s, replicas: ${pods}, apply: ${apply} }\nuntil: ${hours}h\nexpect:\n  - { pod: web-0, phase: Running, ready: true, restarts: 0 }\n`;
  return {
    what: `${pods} pods with ${pods * PROBES.length} probes, ${hours} h`,
    files: { "scenario.yaml": text },
    timers: pods * PROBES.length * hours * 360,
    containers: pods,
    until: hours * 3600,
  };
}

/** A day's trace: pods come evenly over it and run for some minutes. */
function traced(pods: number): Case {
  const rows = Array.from({ length: pods }, (_, index) => {
    const duration = 60 + ((index * 7919) % 600);
    return `pod-${index},${Math.floor((index * DAY) / pods)},${duration},100m,128Mi,,,${index % 5},0:100Mi,job-${index % 40}:1`;
  });
  const text = `node: { cpu: "32", memory: 128Gi }\ntrace: { file: ./day.csv }\nuntil: 25h\n`;
  return {
    what: `a day's trace of ${pods} pods`,
    files: {
      "scenario.yaml": text,
      "day.csv": `pod,arrival,duration,cpu,memory,cpuLimit,memoryLimit,priority,usage,image\n${rows.join("\n")}\n`,
    },
    timers: pods * 4,
    containers: pods,
    until: DAY + 3600,
  };
}

function atOnce(pods: number): Case {
  const apply = `{ metadata: { name: web }, spec: { containers: [{ name: main, image: "web:1", resources: { requests: { cpu: 10m } } }] } }`;
  const text = `node: { cpu: "64", memory: 256Gi, pods: ${pods} }\ntimeline:\n  - { at: 0s, replicas: ${pods}, apply: ${apply} }\nuntil: 1h\nexpect:\n  - { pod: web-${pods - 1}, phase: Running }\n`;
  const what = `${pods} pods at once, 1 h`;
  return { what, files: { "scenario.yaml": text }, timers: pods * 10, containers: pods, until: 3600 };
}

export async function run(): Promise<void> {
  const short = process.env.HOOKLET_BENCH === "short";
  const cases = short
    ? [probed(110, 1), traced(500), atOnce(100)]
    : [probed(110, 24), traced(10_000), atOnce(1000), probed(5, 7 * 24)];
  for (const one of cases) console.table([await row(one)]);
}

async function row({ what, files, timers, containers, until }: Case): Promise<Record<string, string>> {
  const folder = await mkdtemp(path.join(tmpdir(), "hooklet-bench-"));
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
    const bare = await bareClock(timers);
    const began = performance.now();
    const measured = await inOwnProcess(path.join(folder, "scenario.yaml"), until);
    const seconds = (performance.now() - began) / 1000;
    if (measured.started < containers) throw new Error(`${what}: only ${measured.started} containers ran`);
    if (measured.failures > 0) throw new Error(`${what}: ${measured.failures} expectations failed`);
    return {
      what,
      "real s": seconds.toFixed(1),
      "CPU s": measured.cpuSeconds.toFixed(1),
      "bare clock s": bare.toFixed(1),
      containers: String(measured.started),
      records: String(measured.records),
      "heap MiB at 1/4, 1/2, 3/4, end": measured.heap.map((bytes) => (bytes / 2 ** 20).toFixed(0)).join(", "),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** As `hooklet simulate` does it. */
function inOwnProcess(file: string, until: number): Promise<Measured> {
  const program = fileURLToPath(new URL("./simulate/child.js", import.meta.url));
  const words = ["--expose-gc", "--max-semi-space-size=64", program, file, String(until)];
  const child = spawn(process.execPath, words, {
    stdio: ["ignore", "inherit", "inherit", "ipc"],
    env: { ...process.env, UV_THREADPOOL_SIZE: "1", UV_USE_IO_URING: "0" },
  });
  return new Promise((resolve, reject) => {
    let answer: Measured | undefined;
    child.on("message", (message) => {
      answer = message as Measured;
    });
    child.on("error", reject);
    child.on("close", (code) => (answer === undefined ? reject(new Error(`it ended with ${code}`)) : resolve(answer)));
  });
}

async function bareClock(timers: number): Promise<number> {
  const clock = new VirtualClock();
  let left = timers;
  const tick = (): void => {
    if (--left > 0) clock.schedule(1000, tick);
  };
  const began = performance.now();
  tick();
  await clock.advance(timers * 1000);
  return (performance.now() - began) / 1000;
}
