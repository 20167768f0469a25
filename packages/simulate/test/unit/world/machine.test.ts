/** The machine of a scenario: its processors by NUMA node, and its processes. */
import { VirtualClock } from "@hooklet/sim";
import { expect, test } from "@jest/globals";
import { Disks } from "../../../src/world/disks.js";
import { Machine, type MachineOptions } from "../../../src/world/machine.js";

function machine(change: Partial<MachineOptions> = {}): Machine {
  const disks = new Disks({ capacity: "10Gi", available: "6Gi" }, undefined, () => 0);
  return new Machine({
    clock: new VirtualClock(),
    cpus: 4,
    memoryBytes: 1024 ** 3,
    pids: 1_234,
    numaNodes: 1,
    cgroups: "v2",
    disks,
    onWrite: () => undefined,
    ...change,
  });
}

const NODES = "/sys/devices/system/node";

test.each([
  { cpus: 4, numaNodes: 1, lists: ["0-3\n"] },
  { cpus: 4, numaNodes: 2, lists: ["0-1\n", "2-3\n"] },
  { cpus: 5, numaNodes: 2, lists: ["0-1\n", "2-4\n"] },
  { cpus: 1, numaNodes: 2, lists: ["\n", "0-0\n"] },
])("$cpus processors are shared out among $numaNodes NUMA nodes in order", ({ cpus, numaNodes, lists }) => {
  const { kernel } = machine({ cpus, numaNodes });
  expect(kernel.read("/sys/devices/system/cpu/online")).toBe(`0-${cpus - 1}\n`);
  const found = [...lists, ""].map((_, node) => kernel.read(`${NODES}/node${node}/cpulist`));
  expect(found).toEqual([...lists, undefined]);
});

test("it may have as many processes as the scenario says", () => {
  expect(machine().kernel.read("/proc/sys/kernel/pid_max")).toBe("1234\n");
});

test("the root of cgroup v2 has no memory or limits of its own, that of v1 has", () => {
  const names = [
    "memory.current",
    "memory.max",
    "memory.high",
    "memory.min",
    "memory.low",
    "memory.events",
    "pids.max",
  ];
  const { kernel } = machine();
  expect(names.filter((name) => kernel.read(`/sys/fs/cgroup/${name}`) !== undefined)).toEqual([]);
  expect(machine({ cgroups: "v1" }).kernel.read("/sys/fs/cgroup/memory/memory.usage_in_bytes")).toBeDefined();
});

test("its disks are those of the scenario: sizes of the node, and of each path that something is known of", async () => {
  const disks = new Disks({ capacity: "10Gi", available: "6Gi" }, undefined, () => 0);
  const host = machine({ disks });
  expect(await host.statfs("/anything")).toEqual(disks.node());
  disks.setPath("/v", 7);
  expect(await host.diskUsage("/v")).toEqual({ usedBytes: 7, inodesUsed: 1 });
  expect(await host.diskUsage("/other")).toEqual({ usedBytes: 4_096, inodesUsed: 1 });
  expect(() => host.diskUsage("/v", AbortSignal.abort(new Error("enough")))).toThrow("enough");
});

test.each(["v1", "v2"] as const)("with cgroups %s a process is in its cgroup until it ends", (cgroups) => {
  const host = machine({ cgroups });
  host.usage.make("/a", undefined);
  const killed: number[] = [];
  const [first, second] = [
    host.startProcess("/a", () => killed.push(1)),
    host.startProcess("/a", () => killed.push(2)),
  ];
  expect([first, second]).toEqual([1_000, 1_001]);
  expect(host.kernel.read(`/proc/${first}/cgroup`)).toBe(host.usage.procText("/a"));
  const [folder] = host.usage.foldersOf("/a").slice(-1);
  expect(host.kernel.read(`${folder}/cgroup.procs`)).toMatch(/1000\s+1001/);
  host.endProcess(first);
  expect(host.kernel.read(`/proc/${first}/cgroup`)).toBeUndefined();
  expect(host.kernel.read(`${folder}/cgroup.procs`)).not.toContain("1000");
  expect(killed).toEqual([]);
});

test("a kill ends a process that is there, once; other signals, and processes that have ended, do not", () => {
  const host = machine();
  host.usage.make("/a", undefined);
  const killed: string[] = [];
  const pid = host.startProcess("/a", () => killed.push("killed"));
  host.kill(pid, "SIGTERM");
  host.kill(pid, 0);
  expect(killed).toEqual([]);
  host.kill(pid, "SIGKILL");
  expect(killed).toEqual(["killed"]);
  const ended = host.startProcess("/a", () => killed.push("ended"));
  host.endProcess(ended);
  host.kill(ended, "SIGKILL");
  expect(killed).toEqual(["killed"]);
});
