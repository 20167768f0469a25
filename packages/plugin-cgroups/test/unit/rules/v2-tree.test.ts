/** cgroup v2 from one end to the other on a tree in memory: every file of every cgroup that is not as a new one has it. */
import type { Pod } from "@hooklet/core";
import { expect, test } from "@jest/globals";
import { CgroupManager } from "../../../src/manager/cgroup-manager.js";
import type { CgroupOptions } from "../../../src/options.js";
import { containerPlan } from "../../../src/plan/pod-plan.js";
import { goldenPods } from "../golden.js";
import { aMachine } from "../machine.js";
import { aNode, GIB, MIB } from "../world.js";

const ROOT = "/sys/fs/cgroup";
const HANDED_DOWN = "cpu cpuset memory hugetlb pids io";
const [guaranteed, burstable, besteffort] = goldenPods as readonly [Pod, Pod, Pod];

async function applied(options: Partial<CgroupOptions>) {
  const { kernel, files, layout, clock } = aMachine("v2");
  kernel.addFolder(`${ROOT}/new`);
  const fresh = new Map(kernel.entries(`${ROOT}/new`).map((file) => [file, kernel.read(`${ROOT}/new/${file}`)]));
  const nothing = (): void => undefined;
  const refused: string[] = [];
  const manager = new CgroupManager({
    files,
    layout,
    rules: aNode(options, { version: "v2", hugetlb: true }),
    clock,
    ownedChanged: nothing,
    reports: {
      repaired: nothing,
      refused: ({ message }) => refused.push(message),
      removedOrphan: nothing,
      foreign: nothing,
      failedRemoval: nothing,
      took: nothing,
    },
  });
  await manager.open([]);
  for (const pod of goldenPods) await manager.ensurePod(pod);
  const changed = (cgroup: string): Record<string, string> =>
    Object.fromEntries(
      kernel.entries(`${ROOT}${cgroup}`).flatMap((file) => {
        const value = kernel.read(`${ROOT}${cgroup}/${file}`)?.trim();
        return !fresh.has(file) || value === fresh.get(file)?.trim() ? [] : [[file, value ?? ""]];
      }),
    );
  return { kernel, manager, changed, refused };
}

const noHugePages = { "hugetlb.2MB.max": "0", "hugetlb.1GB.max": "0" };
const unbounded = { "hugetlb.2MB.max": String(2n ** 62n), "hugetlb.1GB.max": String(2n ** 62n) };

test("the three pods of the recording, with the kubelet's defaults and a limit of processes", async () => {
  const { changed, refused } = await applied({ podPidsLimit: 1024 });
  expect(refused).toEqual([]);
  expect(Object.fromEntries(["", "/burstable", "/besteffort"].map((at) => [at, changed(`/kubepods${at}`)]))).toEqual({
    "": {
      "cgroup.subtree_control": HANDED_DOWN,
      "cpu.weight": "79",
      "memory.max": String(8 * GIB),
      "pids.max": "32768",
      ...unbounded,
    },
    "/burstable": { "cgroup.subtree_control": HANDED_DOWN, "cpu.weight": "10", ...unbounded },
    "/besteffort": { "cgroup.subtree_control": HANDED_DOWN, "cpu.weight": "1", ...unbounded },
  });
  expect(changed("/kubepods/poduid-guaranteed")).toEqual({
    "cpu.weight": "39",
    "cpu.max": "100000 100000",
    "memory.max": String(256 * MIB),
    "pids.max": "1024",
    ...noHugePages,
  });
  expect(changed("/kubepods/burstable/poduid-burstable")).toEqual({
    "cpu.weight": "10",
    "cpu.max": "50000 100000",
    "memory.max": String(128 * MIB),
    "pids.max": "1024",
    ...noHugePages,
  });
  expect(changed("/kubepods/besteffort/poduid-besteffort")).toEqual({
    "cpu.weight": "1",
    "pids.max": "1024",
    ...noHugePages,
  });
});

test("with memory that is reserved in tiers", async () => {
  const { changed } = await applied({
    memoryReservationPolicy: "TieredReservation",
    qosReserved: { memory: "100%" },
    memoryThrottlingFactor: 0.9,
  });
  expect(changed("/kubepods")).toMatchObject({ "memory.min": String(320 * MIB) });
  expect(changed("/kubepods/burstable")).toMatchObject({
    "memory.low": String(64 * MIB),
    "memory.max": String(8 * GIB - 256 * MIB),
  });
  expect(changed("/kubepods/besteffort")).toMatchObject({ "memory.max": String(8 * GIB - 320 * MIB) });
  expect(changed("/kubepods/poduid-guaranteed")).toMatchObject({ "memory.min": String(256 * MIB) });
  expect(changed("/kubepods/burstable/poduid-burstable")).toMatchObject({ "memory.low": String(64 * MIB) });
});

test("the runtime gets for containers: unified files besides the amounts", () => {
  const rules = aNode({ memoryThrottlingFactor: 0.9, memoryReservationPolicy: "TieredReservation" }, { version: "v2" });
  const reports = (pod: Pod) => {
    const [main] = pod.spec.containers;
    return main && containerPlan(pod, main, rules).resources.unified;
  };
  expect(reports(guaranteed)).toEqual({ "memory.oom.group": "1", "memory.min": String(256 * MIB) });
  const high = Math.floor((64 * MIB + 0.9 * 64 * MIB) / 4096) * 4096;
  expect(reports(burstable)).toEqual({
    "memory.oom.group": "1",
    "memory.low": String(64 * MIB),
    "memory.high": String(high),
  });
  expect(reports(besteffort)).toMatchObject({ "memory.oom.group": "1" });
  const single = aNode({ singleProcessOOMKill: true }, { version: "v2" });
  const [main] = besteffort.spec.containers;
  expect(main).toBeDefined();
  expect(main && containerPlan(besteffort, main, single).resources.unified?.["memory.oom.group"]).toBeUndefined();
});
