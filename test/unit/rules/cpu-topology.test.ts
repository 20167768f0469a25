/** Two plugins at one table: plugin-cgroups says where CPUs could come from, plugin-devices, the topology manager, decides. */
import { aContainer, aPod, SimulatedHost, startTestAgent, type TestAgent, VirtualClock } from "@hooklet/testkit";
import { afterEach, expect, test } from "@jest/globals";
import cgroups from "../../../packages/plugin-cgroups/src/index.js";
import devices from "../../../packages/plugin-devices/src/index.js";

const agents: TestAgent[] = [];

afterEach(async () => {
  for (const agent of agents.splice(0)) await agent.stop();
});

/** Eight processors on two NUMA nodes of four; the first is reserved. */
async function start(topologyManagerPolicy: string) {
  const clock = new VirtualClock();
  const host = new SimulatedHost({ clock, cpus: 8 });
  host.kernel.set("/sys/devices/system/cpu/online", "0-7\n");
  host.kernel.set("/sys/devices/system/node/node0/cpulist", "0-3\n");
  host.kernel.set("/sys/devices/system/node/node1/cpulist", "4-7\n");
  const agent = await startTestAgent({
    clock,
    host,
    node: { capacity: { cpu: "8" }, systemReserved: { cpu: "500m" } },
    plugins: [
      [devices, { topologyManagerPolicy }],
      [cgroups, { cgroupRoot: "/", cpuManagerPolicy: "static" }],
    ],
  });
  agents.push(agent);
  const run = async (name: string, cpu: string): Promise<string | undefined> => {
    const amounts = { cpu, memory: "64Mi" };
    await agent.apply(aPod({ name, containers: [aContainer({ resources: { requests: amounts, limits: amounts } })] }));
    await agent.waitFor(() => agent.pod(name).status?.phase !== "Pending");
    const { rows } = await agent.api.view("cpus");
    const own = rows.flatMap(({ cpu: id, pod }) => (pod === `default/${name}` ? [id] : [])).join(",");
    return own === "" ? agent.pod(name).status?.reason : own;
  };
  return run;
}

test("with policy none a container's CPUs may come from two nodes", async () => {
  const run = await start("none");
  expect([await run("first", "2"), await run("second", "2")]).toEqual(["1,2", "3,4"]);
});

test("with single-numa-node they come from one, and a container that fits on none is refused", async () => {
  const run = await start("single-numa-node");
  expect([await run("first", "2"), await run("second", "2")]).toEqual(["1,2", "4,5"]);
  expect(await run("third", "3")).toBe("TopologyAffinityError");
});
