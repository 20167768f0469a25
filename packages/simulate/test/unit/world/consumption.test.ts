import { VirtualClock } from "@hooklet/sim";
import { expect, test } from "@jest/globals";
import { Consumption } from "../../../src/world/consumption.js";
import { Disks } from "../../../src/world/disks.js";
import { Machine } from "../../../src/world/machine.js";
import type { Running } from "../../../src/world/running.js";

const MIB = 1024 ** 2;

function world() {
  const disks = new Disks({}, undefined, () => 0);
  const machine = new Machine({
    clock: new VirtualClock(),
    cpus: 2,
    memoryBytes: 1000 * MIB,
    pids: 1000,
    numaNodes: 1,
    cgroups: "v2",
    disks,
    onWrite: () => undefined,
  });
  const consumption = new Consumption(machine, disks);
  const ended: string[] = [];
  /** A container that runs. */
  const start = (id: string, given: Partial<Running> = {}): Running => {
    const process = {
      exit: (code: number, { reason = "" } = {}) => {
        ended.push(`${id} ${code} ${reason}`.trim());
        consumption.ended(id);
      },
    };
    const container = {
      id,
      name: id,
      cgroupParent: "/pods/web",
      limitBytes: undefined,
      oomScoreAdj: 0,
      record: { process, stats: {} },
      ...given,
    } as unknown as Running;
    consumption.started(container);
    return container;
  };
  return { disks, machine, consumption, ended, start };
}

test("a container's usage is set for it, and stays until another step changes it", () => {
  const { consumption, start } = world();
  const { record } = start("a");
  expect(consumption.used("a")).toEqual({ memory: 0, disk: 0, pids: 1 });
  consumption.set("a", { memory: 10 * MIB });
  consumption.set("a", { disk: 5 * MIB });
  expect(consumption.used("a")).toEqual({ memory: 10 * MIB, disk: 5 * MIB, pids: 1 });
  expect(record.stats).toEqual({
    writableLayerUsedBytes: 5 * MIB,
    writableLayerInodesUsed: 1,
    memoryWorkingSetBytes: 10 * MIB,
  });
});

test("an unknown container uses nothing, and takes nothing", () => {
  const { consumption, disks } = world();
  const free = disks.imageFree();
  consumption.set("a", { disk: 5 });
  consumption.ended("a");
  consumption.removed("a");
  expect(consumption.used("a")).toEqual({ memory: 0, disk: 0, pids: 0 });
  expect(disks.imageFree()).toBe(free);
});

test("a layer stays on disk until its container is removed, memory goes with the process", () => {
  const { consumption, disks, start } = world();
  const free = disks.imageFree();
  start("a");
  consumption.set("a", { memory: MIB, disk: 5 });
  consumption.ended("a");
  expect(consumption.used("a")).toEqual({ memory: 0, disk: 5, pids: 0 });
  expect(disks.imageFree()).toBe(free - 5);
  consumption.removed("a");
  expect(disks.imageFree()).toBe(free);
  expect(consumption.used("a")).toEqual({ memory: 0, disk: 0, pids: 0 });
});

test("a container above its limit is killed, also above one that it got while it ran", () => {
  const { consumption, ended, start } = world();
  start("a", { limitBytes: 100 * MIB });
  start("b");
  consumption.set("b", { memory: 200 * MIB });
  consumption.set("a", { memory: 100 * MIB });
  expect(ended).toEqual([]);
  consumption.set("a", { memory: 101 * MIB });
  expect(ended).toEqual(["a 137 OOMKilled"]);
  consumption.resized("b", 150 * MIB);
  consumption.set("b", { memory: 200 * MIB });
  expect(ended).toEqual(["a 137 OOMKilled", "b 137 OOMKilled"]);
});

test.each([
  { name: "the larger one", adj: 0, victim: "large" },
  { name: "the one with the higher oom_score_adj", adj: 900, victim: "small" },
])("a machine without room kills $name, and no more than it takes", ({ adj, victim }) => {
  const { consumption, machine, ended, start } = world();
  start("small", { oomScoreAdj: adj });
  start("large");
  consumption.set("small", { memory: 200 * MIB });
  consumption.set("large", { memory: 400 * MIB });
  machine.usage.setSystem({ memory: 450 * MIB });
  consumption.check();
  expect(ended).toEqual([`${victim} 137 OOMKilled`]);
});

test("a container without a cgroup is not killed for lack of memory", () => {
  const { consumption, machine, ended, start } = world();
  start("a", { cgroupParent: "" });
  consumption.set("a", { memory: 500 * MIB });
  machine.usage.setSystem({ memory: 2000 * MIB });
  consumption.check();
  expect(ended).toEqual([]);
});
