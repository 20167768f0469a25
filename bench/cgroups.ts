/**
 * A minute's check of all cgroups, statistics of all pods, and the pages made of them: what they cost the agent, on the kernel's own
 * files where there are any. Each pod has two containers.
 */
import { readFileSync } from "node:fs";
import type { Pod } from "@hooklet/core";
import { nodeHost } from "@hooklet/linux";
import { systemClock } from "@hooklet/utils";
import { CgroupBench } from "./cgroups/world.js";
import { median } from "./statistics.js";

export const title = "cgroups: reconcile with nothing to change, statistics, scrape; CPU of the agent in ms";

const ROUNDS = 15;

export async function run(): Promise<void> {
  const world = CgroupBench.create(nodeHost(systemClock), readFileSync("/proc/self/mountinfo", "utf8"));
  if (world === undefined) {
    console.log("Skipped: cgroups cannot be written here (it takes root, or a delegated subtree).");
    return;
  }
  const rows: Record<string, string>[] = [];
  try {
    for (const count of [10, 110, 500, 1_000]) rows.push(await measure(world, count));
  } finally {
    await world.remove();
  }
  console.table(rows);
}

async function measure(world: CgroupBench, count: number): Promise<Record<string, string>> {
  const pods = Array.from({ length: count }, (_, index) => podOf(index));
  const made = await cpu(() => world.ensure(pods));
  await world.reconcile(pods);
  const writes = world.writes;
  const looks = await rounds(() => world.reconcile(pods));
  if (world.writes !== writes) throw new Error("a check of correct cgroups wrote to them");
  const around = await rounds(() => world.lookAround(pods));
  const naive = await rounds(() => world.writeAll(pods));
  world.readKept(pods);
  const kept = await rounds(async () => world.readKept(pods));
  const opened = await rounds(async () => world.readOpened(pods));
  const resource = await rounds(() => world.scrape("/metrics/resource", pods));
  const cadvisor = await rounds(() => world.scrape("/metrics/cadvisor", pods));
  const summary = await rounds(async () => world.summary(pods));
  return {
    pods: String(count),
    "make, a pod": (made / count).toFixed(2),
    reconcile: looks.toFixed(1),
    "gone and moved": around.toFixed(1),
    "writing everything": naive.toFixed(1),
    "statistics, kept open": kept.toFixed(1),
    "opened each time": opened.toFixed(1),
    "/metrics/resource": resource.toFixed(1),
    "/metrics/cadvisor": cadvisor.toFixed(1),
    "/stats/summary": summary.toFixed(1),
  };
}

async function rounds(work: () => Promise<unknown>): Promise<number> {
  const all: number[] = [];
  for (let i = 0; i < ROUNDS; i++) all.push(await cpu(work));
  return median(all);
}

/** User and system time, milliseconds. */
async function cpu(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

function podOf(index: number): Pod {
  const resources = { requests: { cpu: "100m", memory: "32Mi" }, limits: { cpu: "200m", memory: "64Mi" } };
  return {
    metadata: { name: `p${index}`, namespace: "default", uid: `uid-${index}` },
    spec: { containers: [{ name: "main", image: "app:1", resources }] },
    status: { qosClass: "Burstable" },
  };
}
