import type { NodeStatistics } from "@hooklet/core/subsystem";
import { expect, test } from "@jest/globals";
import { podUsage, type SortBy, topNode, topPods } from "../../../src/print/top.js";

type PodStatistics = NodeStatistics["pods"][number];

const MIB = 1024 ** 2;
const usage = (milliCores: number, mebibytes: number) => ({
  cpu: { usageNanoCores: milliCores * 1e6 },
  memory: { workingSetBytes: mebibytes * MIB },
});
const pod = (name: string, namespace: string, ...containers: readonly object[]): PodStatistics =>
  ({ podRef: { name, namespace, uid: name }, containers }) as unknown as PodStatistics;

const pods = [
  pod("web", "b", { name: "y", ...usage(1, 30) }, { name: "x", ...usage(9, 10) }),
  pod("web", "a", { name: "m", ...usage(20, 5) }),
  pod("db", "b", { name: "m", ...usage(10, 40) }),
  pod("new", "a", { name: "m", cpu: {}, memory: { workingSetBytes: 1 } }),
  pod("half", "a", { name: "m", ...usage(1, 1) }, { name: "n", cpu: { usageNanoCores: 1 } }),
  pod("empty", "a"),
];

test("a pod uses what its containers use together; without one of them nothing is known", () => {
  expect(pods.map(podUsage)).toEqual([
    { cpu: 10, memory: 40 * MIB },
    { cpu: 20, memory: 5 * MIB },
    { cpu: 10, memory: 40 * MIB },
    undefined,
    undefined,
    undefined,
  ]);
});

const shown = (more: Partial<Parameters<typeof topPods>[1]> = {}): string =>
  `\n${topPods(pods, { namespaces: false, containers: false, headers: true, sum: false, ...more })}\n`;

test("pods by namespace and name", () => {
  expect(shown({ namespaces: true })).toBe(`
NAMESPACE   NAME   CPU(cores)   MEMORY(bytes)
a           web    20m          5Mi
b           db     10m          40Mi
b           web    10m          40Mi
`);
});

test.each<[SortBy, string]>([
  ["cpu", "a/20m b/10m b/10m"],
  ["memory", "b/10m b/10m a/20m"],
])("by %s, most first", (sortBy, expected) => {
  const lines = shown({ namespaces: true, headers: false, sortBy }).trim().split("\n");
  expect(lines.map((line) => [line.split(/ +/)[0], line.split(/ +/)[2]].join("/")).join(" ")).toBe(expected);
});

test("containers by name, or as they are sorted", () => {
  expect(shown({ containers: true, namespaces: true })).toBe(`
NAMESPACE   POD   NAME   CPU(cores)   MEMORY(bytes)
a           web   m      20m          5Mi
b           db    m      10m          40Mi
b           web   x      9m           10Mi
b           web   y      1m           30Mi
`);
  expect(shown({ containers: true, headers: false, sortBy: "memory" })).toBe(`
db    m     10m   40Mi
web   y     1m    30Mi
web   x     9m    10Mi
web   m     20m   5Mi
`);
});

test("their sum stands below the last two columns", () => {
  expect(shown({ sum: true, containers: true })).toBe(`
POD   NAME   CPU(cores)   MEMORY(bytes)
web   m      20m          5Mi
db    m      10m          40Mi
web   x      9m           10Mi
web   y      1m           30Mi
             ________     ________
             40m          85Mi
`);
  expect(topPods([], { namespaces: false, containers: false, headers: true, sum: true })).toBe(
    "NAME   CPU(cores)   MEMORY(bytes)",
  );
});

const node = (more: object): Pick<NodeStatistics, "node"> => ({ node: { nodeName: "n", ...more } }) as never;

test("a node has shares of what it has, rounded down", () => {
  const text = topNode(
    node({ cpu: { usageNanoCores: 999_000_001 }, memory: { workingSetBytes: 2 * MIB - 1 } }),
    { cpu: 3000, memory: 3 * MIB },
    true,
  );
  expect(text).toBe(
    "NAME   CPU(cores)   CPU(%)   MEMORY(bytes)   MEMORY(%)\nn      1000m        33%      1Mi             66%",
  );
});

test.each([
  ["nothing", {}],
  ["zero", { cpu: 0, memory: 0 }],
])("a share of %s is not known", (_name, total) => {
  expect(topNode(node(usage(1, 1)), total, false)).toBe("n     1m    <unknown>   1Mi   <unknown>");
});

test.each([{ cpu: { usageNanoCores: 1 } }, { memory: { workingSetBytes: 1 } }, {}])(
  "of a node with %j alone nothing is shown",
  (some) => {
    expect(topNode(node(some), {}, true)).toBeUndefined();
  },
);
