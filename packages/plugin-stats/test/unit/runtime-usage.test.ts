import type { ContainerStats } from "@hooklet/core/subsystem";
import { aContainer, aPod } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { countedByRuntime } from "../../src/runtime-usage.js";
import type { MeasuredPod } from "../../src/summary.js";

const measured = (uid: string, ...ids: string[]): MeasuredPod =>
  ({
    pod: aPod({ uid, name: uid, containers: [aContainer({ name: "main" })] }),
    containers: ids.map((id) => ({ id, name: id, startedAt: 0 })),
  }) as unknown as MeasuredPod;
const stats = (id: string, cpu?: number, memory?: number): ContainerStats =>
  ({ id, cpuUsageNanoSeconds: cpu, memoryWorkingSetBytes: memory }) as unknown as ContainerStats;

test("a pod has the sums of its running containers; one without any is left out", () => {
  const tree = countedByRuntime(
    [stats("a", 5, 100), stats("b", 7, 50), stats("z", 1, 1)],
    [measured("one", "a", "b", "gone"), measured("two", "gone")],
    1_000,
    new Map([["a", ["1", "2"]]]),
  );
  const one = tree.byPod.get("one");
  expect([...tree.byPod.keys()]).toEqual(["one"]);
  expect([
    one?.usage.path,
    one?.usage.cpu.usageNanoSeconds,
    one?.usage.memory.workingSetBytes,
    one?.usage.pids,
  ]).toEqual(["/one", 12, 150, 2]);
  expect([...(one?.containers ?? [])].map(([id, { path, pids }]) => [id, path, pids])).toEqual([
    ["a", "/one/a", 2],
    ["b", "/one/b", undefined],
  ]);
  expect([tree.at, one?.usage.at]).toEqual([1_000, 1_000]);
});

test("what the runtime counts for no container is not 0 for the pod: it is unknown", () => {
  const { byPod } = countedByRuntime([stats("a", undefined, 3)], [measured("one", "a")], 0);
  const { usage } = byPod.get("one") as { usage: { cpu: object; memory: object; pids: unknown } };
  expect([usage.cpu, usage.memory, usage.pids]).toEqual([
    expect.objectContaining({ usageNanoSeconds: undefined }),
    expect.objectContaining({ workingSetBytes: 3, usageBytes: undefined }),
    undefined,
  ]);
});
