/** What a real kubelet 1.33 answered at /stats/summary, field by field. */
import { readFileSync } from "node:fs";
import { aContainer, aPod, SimulatedHost, startTestAgent, type TestAgent, VirtualClock } from "@hooklet/testkit";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import plugin from "../../src/index.js";
import { keeper } from "./world.js";

const golden: unknown = JSON.parse(readFileSync(new URL("../golden/stats-summary.json", import.meta.url), "utf8"));

/** What hooklet reports besides what that kubelet reported. */
const MORE: readonly (readonly [field: RegExp, why: string])[] = [
  [
    /^pods\.containers\.memory\.(availableBytes|usageBytes|rssBytes|(major)?[pP]ageFaults)$/,
    "containerd 1.6 reported only the working set to the kubelet; newer ones report all of these",
  ],
  [/^node\.systemContainers\.swap\.swapAvailableBytes$/, "absent there too"],
  [/^pods\.process_stats\.process_count$/, "the kubelet has it where its runtime tells it"],
];

const clock = new VirtualClock();
const host = new SimulatedHost({ clock, cgroups: "v1" });
let agent: TestAgent;
let summary: unknown;

const NET = `Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:     100       1    0    0    0     0          0         0      100       1    0    0    0     0       0          0
  eth0:     876      11    0    2    0     0          0         0      292       4    0    0    0     0       0          0
`;

beforeAll(async () => {
  host.kernel.set("/proc/self/net/dev", NET);
  host.kernel.set("/proc/4711/net/dev", NET);
  host.kernel.set("/proc/stat", "btime 1700000000\n");
  host.kernel.set("/proc/loadavg", "0.00 0.01 0.05 2/361 4711\n");
  agent = await startTestAgent({ clock, host, plugins: [keeper, plugin] });
  const both = { cpu: "1", memory: "256Mi" };
  await agent.apply(
    aPod({ name: "web", containers: [aContainer({ name: "main", resources: { requests: both, limits: both } })] }),
  );
  await agent.waitFor(() => agent.pod("web").status?.phase === "Running");
  const id = (await agent.runtime.listContainers()).find(({ metadata }) => metadata.name === "main")?.id ?? "";
  const path = `/kubepods/pod${agent.pod("web").metadata.uid}/${id}`;
  for (const controller of ["cpu", "cpuacct", "memory", "pids"])
    host.kernel.addFolder(`/sys/fs/cgroup/${controller}${path}`);
  const limited = "hierarchical_memory_limit 268435456\n";
  for (const at of ["/kubepods", path.slice(0, path.lastIndexOf("/"))]) {
    host.kernel.set(`/sys/fs/cgroup/memory${at}/memory.stat`, limited);
    host.kernel.set(`/sys/fs/cgroup/memory${at}/memory.limit_in_bytes`, "268435456\n");
  }
  const { uid } = agent.pod("web").metadata;
  host.kernel.set(`${agent.rootDir}/logs/default_web_${uid}/main/0.log`, "");
  agent.runtime.setImageFs({ inodes: 1000, inodesFree: 900 });
  host.addProcess(4711, `/sys/fs/cgroup/pids${path}`);
  agent.runtime.setStats("web", "main", { writableLayerUsedBytes: 8192, writableLayerInodesUsed: 5 });
  // Usage per second takes two readings, some time apart.
  await clock.advance(2000);
  await agent.api.statistics();
  await clock.advance(20_000);
  summary = await agent.api.statistics();
});

afterAll(() => agent.stop());

/** `pods.containers.cpu.time: string`, lists by their first entry. */
function fields(value: unknown, path = ""): string[] {
  if (Array.isArray(value)) return fields(value[0], path);
  if (typeof value !== "object" || value === null) return [`${path}: ${typeof value}`];
  return Object.entries(value).flatMap(([name, inner]) => fields(inner, path === "" ? name : `${path}.${name}`));
}

test("every field of the kubelet's answer exists, with the same type", () => {
  const recorded = new Set(fields(summary));
  expect(fields(golden).filter((field) => !recorded.has(field))).toEqual([]);
});

test("there are no further fields but the known ones", () => {
  const known = new Set(fields(golden));
  const more = fields(summary).filter((field) => !known.has(field));
  expect(more.filter((field) => !MORE.some(([pattern]) => pattern.test(field.split(":")[0] ?? "")))).toEqual([]);
});

test("times are whole seconds, as the kubelet's are", () => {
  const times = (text: string): string[] => text.match(/"(time|startTime)":"[^"]*"/g) ?? [];
  for (const time of times(JSON.stringify(summary))) expect(time).toMatch(/:"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"$/);
});
