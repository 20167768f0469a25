/**
 * The rows of a kubelet's figures on a real containerd, against the same CRI calls bare, eight at a time, in the same run.
 * CRI_BENCH_PODS=1,50,110,250 for other sizes; CRI_BENCH_IDLE=60 seconds of looking at the idle agent.
 */
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { bareRun } from "./cri/bare.js";
import { Node } from "./cri/node.js";

export const title = "pods on a real containerd (root, scripts/containerd.mjs), against bare CRI calls";

const SCRIPT = fileURLToPath(new URL("../../scripts/containerd.mjs", import.meta.url));
const SIZES = (process.env.CRI_BENCH_PODS ?? "1,50,110").split(",").map(Number);
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
    let last = "";
    for (const size of SIZES) {
      const before = await bareRun(endpoint, size);
      const own = await measured(endpoint, size);
      const after = await bareRun(endpoint, size);
      const start = (before.start + after.start) / 2;
      const stop = (before.stop + after.stop) / 2;
      rows.push({
        pods: String(size),
        "start ms": own.start.toFixed(0),
        "bare start ms": start.toFixed(0),
        ratio: (own.start / start).toFixed(2),
        "agent CPU s": own.cpu.toFixed(2),
        "teardown ms": own.stop.toFixed(0),
        "bare teardown ms": stop.toFixed(0),
        "CRI calls per pod": own.callsPerPod.toFixed(1),
        "of them lists": own.listsPerPod.toFixed(2),
      });
      if (size === MEASURED) last = `cri ${MEASURED} pods ratio=${(own.start / start).toFixed(2)}`;
    }
    console.table(rows);
    console.table(await idleAndRestart(endpoint));
    if (last !== "") console.log(last);
  } finally {
    containerd("stop");
  }
}

interface Measured {
  readonly start: number;
  readonly stop: number;
  readonly cpu: number;
  readonly callsPerPod: number;
  readonly listsPerPod: number;
}

async function measured(endpoint: string, size: number): Promise<Measured> {
  const node = await Node.start(endpoint);
  try {
    const [cpuBefore, callsBefore] = [await node.cpuSeconds(), await node.calls()];
    const start = await node.bringUp(size);
    const cpu = (await node.cpuSeconds()) - cpuBefore;
    const stop = await node.takeDown();
    const calls = await node.calls();
    const total = sum(calls, () => true) - sum(callsBefore, () => true);
    const lists = sum(calls, isList) - sum(callsBefore, isList);
    return { start, stop, cpu, callsPerPod: total / size, listsPerPod: lists / size };
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

const isList = (operation: string): boolean => operation.startsWith("list_");

function sum(calls: ReadonlyMap<string, number>, which: (operation: string) => boolean): number {
  return [...calls].filter(([operation]) => which(operation)).reduce((total, [, count]) => total + count, 0);
}
