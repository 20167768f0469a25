/** What containers use, as the runtime counts it. */
import { type ChildProcess, spawn } from "node:child_process";
import { afterEach, expect, test } from "@jest/globals";
import type { Container } from "../../src/container/container.js";
import { containerStats } from "../../src/stats.js";
import { until } from "../node.js";

let child: ChildProcess | undefined;
afterEach(() => {
  child?.kill("SIGKILL");
  child = undefined;
});

const containerWith = (parts: object): Container =>
  ({
    id: "c1",
    folder: "/folder",
    life: { kind: "running" },
    record: { config: { labels: { l: "1" } } },
    ...parts,
  }) as unknown as Container;
const cgroup = (usage: object) => ({ usage: () => usage });

test("of one with a cgroup is what that counts; what it does not count is left out", () => {
  const all = [
    containerWith({ cgroup: cgroup({ cpuNanoSeconds: 5, workingSetBytes: 7 }) }),
    containerWith({ id: "c2", cgroup: cgroup({}) }),
  ];
  expect(containerStats(all, true)).toEqual([
    {
      id: "c1",
      labels: { l: "1" },
      writableLayerDirectory: "/folder",
      cpuUsageNanoSeconds: 5,
      memoryWorkingSetBytes: 7,
    },
    { id: "c2", labels: { l: "1" }, writableLayerDirectory: "/folder" },
  ]);
});

test("without layers of their own there is none to measure", () => {
  expect(containerStats([containerWith({ cgroup: cgroup({}) })], false)).toEqual([{ id: "c1", labels: { l: "1" } }]);
});

test("only those that run are counted", () => {
  const ended = ["created", "starting", "exited"].map((kind) => containerWith({ life: { kind }, cgroup: cgroup({}) }));
  expect(containerStats(ended, true)).toEqual([]);
});

test("of one without a cgroup are the sums over the processes of its session", async () => {
  child = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
  const life = { kind: "running", processes: { main: { pid: child.pid } } };
  const stats = () => containerStats([containerWith({ life })], false)[0];
  await until("it should have memory", () => (stats()?.memoryWorkingSetBytes ?? 0) > 0);
  const { cpuUsageNanoSeconds = -1, memoryWorkingSetBytes = -1 } = stats() ?? {};
  expect(cpuUsageNanoSeconds % 10_000_000).toBe(0);
  expect(cpuUsageNanoSeconds).toBeLessThan(1_000_000_000);
  expect(memoryWorkingSetBytes % 4_096).toBe(0);
  expect(memoryWorkingSetBytes).toBeLessThan(100 * 2 ** 20);
});

test("of one whose session has no process any more nothing is known", () => {
  const life = { kind: "running", processes: { main: { pid: 2 ** 22 + 1 } } };
  expect(containerStats([containerWith({ life })], false)).toEqual([{ id: "c1", labels: { l: "1" } }]);
});
