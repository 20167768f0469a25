/** Three plugins that meet: plugin-cgroups says where pods have their cgroups, plugin-stats reads them, plugin-eviction goes by what it read. */
import { aContainer, aPod, SimulatedHost, startTestAgent, type TestAgent, VirtualClock } from "@hooklet/testkit";
import { afterEach, expect, test } from "@jest/globals";
import cgroups from "../../../packages/plugin-cgroups/src/index.js";
import eviction from "../../../packages/plugin-eviction/src/index.js";
import stats from "../../../packages/plugin-stats/src/index.js";

const MIB = 1024 ** 2;
let agent: TestAgent | undefined;

afterEach(async () => {
  await agent?.stop();
  agent = undefined;
});

async function start(prepare: (host: SimulatedHost) => void = () => undefined) {
  const clock = new VirtualClock();
  const host = new SimulatedHost({ clock, cgroups: "v2" });
  prepare(host);
  const plugins = [eviction, [cgroups, { cgroupRoot: "/" }], stats] as const;
  const node = { evictionHard: { "memory.available": "100Mi" } };
  agent = await startTestAgent({ clock, host, node, plugins });
  for (const name of ["large", "small"]) await agent.apply(aPod({ name, containers: [aContainer({ name: "main" })] }));
  await agent.waitFor(() => ["large", "small"].every((name) => agent?.pod(name).status?.phase === "Running"));
  return { agent, host };
}

test("a pod's usage is its cgroup's, and the largest goes when the node has no memory left", async () => {
  const { agent, host } = await start();
  for (const [name, used] of Object.entries({ large: 300, small: 100 })) {
    const path = `/sys/fs/cgroup/kubepods/besteffort/pod${agent.pod(name).metadata.uid}`;
    host.kernel.set(`${path}/memory.current`, `${used * MIB}\n`);
  }
  await agent.advance(20_000);
  const found = (await agent.api.statistics())?.pods.map(({ podRef, memory }) => [podRef.name, memory?.usageBytes]);
  expect(found).toEqual([
    ["large", 300 * MIB],
    ["small", 100 * MIB],
  ]);
  host.kernel.set("/sys/fs/cgroup/memory.current", `${8 * 1024 * MIB}\n`);
  await agent.waitFor(() => agent.pod("large").status?.reason === "Evicted", 30_000);
  expect(agent.pod("small").status?.phase).toBe("Running");
});

test("where cgroups cannot be written a pod's usage is what the runtime counts, and the largest goes as well", async () => {
  const { agent, host } = await start(({ kernel }) => kernel.fail("/sys/fs/cgroup/kubepods", "EROFS"));
  agent.runtime.setStats("large", "main", { memoryWorkingSetBytes: 300 * MIB });
  agent.runtime.setStats("small", "main", { memoryWorkingSetBytes: 100 * MIB });
  host.kernel.set("/sys/fs/cgroup/memory.current", `${8 * 1024 * MIB}\n`);
  await agent.waitFor(() => agent.pod("large").status?.reason === "Evicted", 30_000);
  expect(agent.pod("large").status?.message).toContain("Container main was using 300Mi");
  expect(agent.pod("small").status?.phase).toBe("Running");
});
