/** Scenarios in virtual time: CPU time of whole runs, and the memory that they end with. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { runJob, withRootDir } from "@hooklet/simulate";
import { VirtualClock } from "@hooklet/testkit/simulation";

export const title = "simulate: days of a node in virtual time";

const names = ["eviction", "imagegc", "devices", "cgroups", "preemption", "probe"];
const host = { url: import.meta.resolve("hooklet"), plugins: names.map((name) => `@hooklet/plugin-${name}`) };

interface Case {
  readonly what: string;
  readonly files: Readonly<Record<string, string>>;
  /** Timers that a bare clock would run for it: the naive baseline, which decides nothing. */
  readonly timers: number;
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
  };
}

function atOnce(pods: number): Case {
  const apply = `{ metadata: { name: web }, spec: { containers: [{ name: main, image: "web:1", resources: { requests: { cpu: 10m } } }] } }`;
  const text = `node: { cpu: "64", memory: 256Gi, pods: ${pods} }\ntimeline:\n  - { at: 0s, replicas: ${pods}, apply: ${apply} }\nuntil: 1h\nexpect:\n  - { pod: web-${pods - 1}, phase: Running }\n`;
  return { what: `${pods} pods at once, 1 h`, files: { "scenario.yaml": text }, timers: pods * 10 };
}

export async function run(): Promise<void> {
  const short = process.env.HOOKLET_BENCH === "short";
  const cases = short
    ? [probed(110, 1), traced(500), atOnce(100)]
    : [
        probed(110, 1),
        probed(110, 24),
        traced(1000),
        traced(10_000),
        atOnce(100),
        atOnce(1000),
        probed(20, 24),
        probed(20, 7 * 24),
      ];
  const rows = [];
  for (const one of cases) rows.push(await measured(one));
  console.table(rows);
}

async function measured({ what, files, timers }: Case): Promise<Record<string, string>> {
  const folder = await mkdtemp(path.join(tmpdir(), "hooklet-bench-"));
  try {
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
    const bare = await cpuSeconds(() => bareClock(timers));
    let failed = 0;
    let records = 0;
    const cpu = await cpuSeconds(async () => {
      const outcome = await withRootDir((rootDir) =>
        runJob({ file: path.join(folder, "scenario.yaml"), host, variant: {}, seed: 0, rootDir }, () => {
          records += 1;
        }),
      );
      failed = outcome.expectations.filter(({ failure }) => failure !== undefined).length;
    });
    if (failed > 0) throw new Error(`${what}: ${failed} expectations failed`);
    globalThis.gc?.();
    const heap = process.memoryUsage().heapUsed / 2 ** 20;
    return {
      what,
      "CPU s": cpu.toFixed(1),
      "bare clock s": bare.toFixed(1),
      records: String(records),
      "heap MiB": heap.toFixed(0),
    };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function bareClock(timers: number): Promise<void> {
  const clock = new VirtualClock();
  let left = timers;
  const tick = (): void => {
    if (--left > 0) clock.schedule(1000, tick);
  };
  tick();
  await clock.advance(timers * 1000);
}

async function cpuSeconds(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}
