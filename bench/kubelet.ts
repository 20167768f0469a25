/**
 * hooklet beside a kubelet, another checkout of hooklet and the bare CRI calls, on one containerd, one after the other, round by round (root,
 * scripts/containerd.mjs). Medians of all rounds.
 * KUBELET_BENCH_KUBELET=PATH and KUBELET_BENCH_OTHER=PATH/bin/hooklet.js say which; what is not named is left out.
 * KUBELET_BENCH_ROUNDS=1 and KUBELET_BENCH_PODS=20 for a short look.
 */
import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { bareRun } from "./cri/bare.js";
import { Node } from "./cri/node.js";
import { hooklet, kubelet, type Program, sysctls } from "./cri/programs.js";
import { manifest } from "./probe-cri/manifest.js";
import { median } from "./statistics.js";
import { pause } from "./wait.js";

export const title = "110 pods: hooklet, a kubelet, another hooklet and the bare CRI calls in alternation";

const SCRIPT = fileURLToPath(new URL("../../scripts/containerd.mjs", import.meta.url));
const PODS = Number(process.env.KUBELET_BENCH_PODS ?? 110);
const ROUNDS = Number(process.env.KUBELET_BENCH_ROUNDS ?? 3);
/** Where the figures of each round are written, as JSON. */
const FILE = process.env.KUBELET_BENCH_FILE;
const HALF_MINUTE = 30_000;
/** Pods that are deleted one by one. */
const DELETIONS = 5;
/** Milliseconds that a deletion is waited for. */
const LIMIT = 3_000;

type Figures = Readonly<Record<string, number>>;

export async function run(): Promise<void> {
  const { KUBELET_BENCH_KUBELET, KUBELET_BENCH_OTHER } = process.env;
  const programs = [
    ...(KUBELET_BENCH_KUBELET === undefined ? [] : [kubelet(KUBELET_BENCH_KUBELET)]),
    ...(KUBELET_BENCH_OTHER === undefined ? [] : [hooklet("other hooklet", KUBELET_BENCH_OTHER)]),
    hooklet(),
  ];
  const containerd = (command: string): string =>
    execFileSync(process.execPath, [SCRIPT, command, "--name", "kbench"], { encoding: "utf8" }).trim();
  const endpoint = `unix://${containerd("start")}`;
  const restore = await sysctls();
  const rounds = new Map<string, Figures[]>();
  const add = (name: string, figures: Figures): void => {
    rounds.set(name, [...(rounds.get(name) ?? []), figures]);
  };
  try {
    // The first pods of a fresh containerd read everything from disk.
    await bareRun(endpoint, 8);
    for (let round = 0; round < ROUNDS; round++) {
      add("bare calls", await bare(endpoint));
      for (const program of programs) {
        add(program.name, { ...(await plain(endpoint, program)), ...(await withProbes(endpoint, program)) });
        if (FILE !== undefined) await writeFile(FILE, JSON.stringify(Object.fromEntries(rounds), undefined, 2));
      }
    }
    console.table(table(rounds));
  } finally {
    await restore();
    containerd("stop");
  }
}

function table(rounds: ReadonlyMap<string, readonly Figures[]>): Readonly<Record<string, Record<string, string>>> {
  const rows: Record<string, Record<string, string>> = {};
  for (const [name, all] of rounds)
    for (const figure of Object.keys(all[0] ?? {})) {
      const value = median(all.map((one) => one[figure] ?? Number.NaN));
      rows[figure] = { ...rows[figure], [name]: value.toPrecision(3) };
    }
  return rows;
}

async function bare(endpoint: string): Promise<Figures> {
  const { alone, order } = await bareRun(endpoint, PODS, DELETIONS);
  return {
    "first started, s": order.first / 1000,
    "median started, s": order.median / 1000,
    "all, s": order.last / 1000,
    "deletion: sandbox removed, ms": alone,
  };
}

async function plain(endpoint: string, program: Program): Promise<Figures> {
  const node = await Node.start(endpoint, program);
  try {
    const before = total(await node.calls());
    await node.bringUp(PODS);
    const started = await node.cpuSeconds();
    const order = await node.startOrder();
    await node.allReady(PODS);
    await pause(HALF_MINUTE);
    const idle = await cores(node);
    const [rss, peak] = [await node.residentBytes(), await node.peakBytes()];
    const callsToRun = total(await node.calls()) - before;
    const restart = await node.killAndRestart(PODS);
    const calls = total(await node.calls());
    const deletions: number[] = [];
    for (let i = 0; i < DELETIONS; i++) {
      deletions.push(await node.deleteOne(LIMIT));
      await pause(500);
    }
    const callsToEnd = (total(await node.calls()) - calls) / deletions.length;
    return {
      "first started, s": order.first / 1000,
      "median started, s": order.median / 1000,
      "all, s": order.last / 1000,
      "agent CPU until then, s": started,
      "idle CPU, second half minute, cores": idle,
      "RSS idle, MiB": rss / 2 ** 20,
      "RSS peak, MiB": peak / 2 ** 20,
      "kill -9: API answers, s": restart.answers / 1000,
      "kill -9: pods in the first list": restart.firstList,
      "kill -9: all Ready, s": restart.ready / 1000,
      "kill -9: CPU, s": restart.cpu,
      "deletion: sandbox removed, ms": median(deletions),
      "CRI calls a pod until it runs, and idle for a minute": callsToRun / PODS,
      "CRI calls of a deletion": callsToEnd,
    };
  } finally {
    await node.clear();
  }
}

async function withProbes(endpoint: string, program: Program): Promise<Figures> {
  const node = await Node.start(endpoint, program);
  try {
    await node.bringUp(PODS, (name) => manifest(name, 10), 2 * PODS);
    const first = await cores(node);
    const second = await cores(node);
    return {
      "probes: CPU, first half minute, cores": first,
      "probes: CPU, second half minute, cores": second,
      "probes: RSS, MiB": (await node.residentBytes()) / 2 ** 20,
    };
  } finally {
    await node.clear();
  }
}

/** Over half a minute. */
async function cores(node: Node): Promise<number> {
  const [cpu, from] = [await node.cpuSeconds(), performance.now()];
  await pause(HALF_MINUTE);
  return ((await node.cpuSeconds()) - cpu) / ((performance.now() - from) / 1000);
}

function total(calls: ReadonlyMap<string, number>): number {
  return [...calls.values()].reduce((sum, count) => sum + count, 0);
}
