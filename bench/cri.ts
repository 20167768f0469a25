/**
 * The rows of a kubelet's figures on a real containerd, against the same CRI calls bare, eight at a time, in the same run.
 * CRI_BENCH_PODS=1,8 for other sizes; CRI_BENCH_IDLE=5 for fewer seconds of looking at the
 * idle agent, 0 for none; CRI_BENCH_PROFILES=DIR for a CPU profile of each agent.
 * CRI_BENCH_WITHOUT=cgroups leaves plugins out.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { bareRun, type StartOrder } from "./cri/bare.js";
import { exitsKnown } from "./cri/exits.js";
import { Node } from "./cri/node.js";
import { growth } from "./statistics.js";

export const title = "pods on a real containerd (root, scripts/containerd.mjs), against bare CRI calls";

const SCRIPT = fileURLToPath(new URL("../../scripts/containerd.mjs", import.meta.url));
const SIZES = (process.env.CRI_BENCH_PODS ?? "1,110,250,500").split(",").map(Number);
const IDLE_SECONDS = Number(process.env.CRI_BENCH_IDLE ?? 60);
const MEASURED = 110;

export async function run(): Promise<void> {
  const containerd = (command: string): string =>
    execFileSync(process.execPath, [SCRIPT, command, "--name", "bench"], { encoding: "utf8" }).trim();
  const endpoint = `unix://${containerd("start")}`;
  try {
    // The first pods of a fresh containerd read everything from disk.
    await bareRun(endpoint, 8);
    const rows: Record<string, string>[] = [];
    const orders: Record<string, string>[] = [];
    let last = "";
    let former: { readonly size: number; readonly own: Measured } | undefined;
    for (const size of SIZES) {
      const before = await bareMedian(endpoint, size);
      const own = await measured(endpoint, size);
      const after = await bareMedian(endpoint, size);
      const order = mean(before.order, after.order);
      const stop = (before.stop + after.stop) / 2;
      rows.push({
        pods: String(size),
        "start ms": own.order.last.toFixed(0),
        "bare start ms": order.last.toFixed(0),
        ratio: (own.order.last / order.last).toFixed(2),
        "start grows by": growth(size, own.order.last, former && { pods: former.size, figure: former.own.order.last }),
        "agent CPU s": own.cpu.toFixed(2),
        "CPU grows by": growth(size, own.cpu, former && { pods: former.size, figure: former.own.cpu }),
        "teardown ms": own.stop.toFixed(0),
        "bare teardown ms": stop.toFixed(0),
        "CRI calls per pod": own.callsPerPod.toFixed(1),
        "of them lists": own.listsPerPod.toFixed(2),
      });
      orders.push({ pods: String(size), ...orderRow("", own.order), ...orderRow("bare ", order) });
      former = { size, own };
      if (size === MEASURED) last = `cri ${MEASURED} pods ratio=${(own.order.last / order.last).toFixed(2)}`;
    }
    console.table(rows);
    console.table(orders);
    console.table(await exitsKnown(endpoint));
    if (IDLE_SECONDS > 0) console.table(await idleAndRestart(endpoint));
    if (last !== "") console.log(last);
  } finally {
    containerd("stop");
  }
}

/** After how many milliseconds containers ran. */
function orderRow(whose: string, { first, median, last }: StartOrder): Record<string, string> {
  return {
    [`${whose}first ms`]: first.toFixed(0),
    [`${whose}median ms`]: median.toFixed(0),
    [`${whose}last ms`]: last.toFixed(0),
  };
}

const mean = (a: StartOrder, b: StartOrder): StartOrder => ({
  first: (a.first + b.first) / 2,
  median: (a.median + b.median) / 2,
  last: (a.last + b.last) / 2,
});

interface Run {
  readonly stop: number;
  readonly order: StartOrder;
}

interface Measured extends Run {
  readonly cpu: number;
  readonly callsPerPod: number;
  readonly listsPerPod: number;
}

async function measured(endpoint: string, size: number): Promise<Measured> {
  const node = await Node.start(endpoint);
  try {
    const callsBefore = await node.calls();
    let cpu = 0;
    const runs: Run[] = [];
    for (let i = 0; i < timesFor(size); i++) {
      const cpuAtStart = await node.cpuSeconds();
      await node.bringUp(size);
      cpu += (await node.cpuSeconds()) - cpuAtStart;
      const order = await node.startOrder();
      runs.push({ order, stop: await node.takeDown() });
    }
    const calls = await node.calls();
    const pods = size * runs.length;
    const total = sum(calls, () => true) - sum(callsBefore, () => true);
    const lists = sum(calls, isList) - sum(callsBefore, isList);
    return { ...median(runs), cpu: cpu / runs.length, callsPerPod: total / pods, listsPerPod: lists / pods };
  } finally {
    await node.remove();
  }
}

async function idleAndRestart(endpoint: string): Promise<Record<string, string>> {
  const node = await Node.start(endpoint);
  try {
    await node.bringUp(MEASURED);
    await node.allReady(MEASURED);
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    const before = await node.cpuSeconds();
    await new Promise((resolve) => setTimeout(resolve, IDLE_SECONDS * 1000));
    const idle = ((await node.cpuSeconds()) - before) / IDLE_SECONDS;
    const rss = await node.residentBytes();
    const starts = await node.containerIds();
    const restart = await node.killAndRestart(MEASURED);
    const kept = (await node.containerIds()).join() === starts.join();
    return {
      pods: String(MEASURED),
      "idle cores": idle.toFixed(4),
      "RSS MiB": (rss / 2 ** 20).toFixed(0),
      "kill -9: API answers ms": restart.answers.toFixed(0),
      "pods in the first list": String(restart.firstList),
      "all Ready ms": restart.ready.toFixed(0),
      "CPU s": restart.cpu.toFixed(2),
      "containers kept": String(kept),
    };
  } finally {
    await node.takeDown();
    await node.remove();
  }
}

/** One start of a few pods says little on a machine that does other things. */
const timesFor = (pods: number): number => (pods < 10 ? 7 : 1);

async function bareMedian(endpoint: string, size: number): Promise<Run> {
  const runs: Run[] = [];
  for (let i = 0; i < timesFor(size); i++) runs.push(await bareRun(endpoint, size));
  return median(runs);
}

function median(runs: readonly Run[]): Run {
  const middle = (of: (run: Run) => number): number =>
    runs.map(of).sort((a, b) => a - b)[Math.floor(runs.length / 2)] ?? Number.NaN;
  return {
    stop: middle(({ stop }) => stop),
    order: {
      first: middle(({ order }) => order.first),
      median: middle(({ order }) => order.median),
      last: middle(({ order }) => order.last),
    },
  };
}

const isList = (operation: string): boolean => operation.startsWith("list_");

function sum(calls: ReadonlyMap<string, number>, which: (operation: string) => boolean): number {
  return [...calls].filter(([operation]) => which(operation)).reduce((total, [, count]) => total + count, 0);
}
