import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { applyPlan } from "../../src/apply/apply.js";
import { removeCgroup } from "../../src/apply/remove.js";
import { type CgroupLayout, readLayout } from "../../src/host/hierarchies.js";
import { SimulatedCgroups, simulatedMounts } from "../../src/host/simulated.js";

const POD = "/kubepods/podx";

async function podOn(version: "v1" | "v2"): Promise<{ kernel: SimulatedCgroups; layout: CgroupLayout }> {
  const layout = readLayout(simulatedMounts(version));
  if (layout === undefined) throw new Error("no cgroups");
  const kernel = new SimulatedCgroups(version);
  await applyPlan(kernel, layout, [{ path: POD, file: "pids.max", value: "10", why: "test" }]);
  return { kernel, layout };
}

test("what is left in a pod's cgroup is killed, and all its folders go, also those of the runtime", async () => {
  const { kernel, layout } = await podOn("v1");
  for (const name of ["pids", "freezer"]) {
    kernel.makeDirectory(`/sys/fs/cgroup/${name}/kubepods`);
    kernel.makeDirectory(`/sys/fs/cgroup/${name}${POD}`);
    kernel.makeDirectory(`/sys/fs/cgroup/${name}${POD}/container`);
  }
  kernel.set(`/sys/fs/cgroup/pids${POD}/container/cgroup.procs`, "41\n42\n");
  kernel.set(`/sys/fs/cgroup/pids${POD}/cgroup.procs`, "42\n43\n");
  expect(await removeCgroup(kernel, layout, POD, new VirtualClock())).toBe(3);
  expect([...kernel.killed].sort()).toEqual([41, 42, 43]);
  for (const { mountPoint } of layout.hierarchies) expect(kernel.changedAt(`${mountPoint}${POD}`)).toBeUndefined();
  expect(kernel.writes.filter((write) => write.includes("freezer.state")).map((write) => write.split("=")[1])).toEqual([
    "FROZEN",
    "THAWED",
  ]);
});

test("a cgroup that is not there is fine", async () => {
  const { kernel, layout } = await podOn("v2");
  expect(await removeCgroup(kernel, layout, "/kubepods/other", new VirtualClock())).toBe(0);
});

test("after five rounds what cannot be killed is named in the kubelet's words", async () => {
  const { kernel, layout } = await podOn("v2");
  kernel.set(`/sys/fs/cgroup${POD}/cgroup.procs`, "7\n");
  kernel.kill = () => true;
  const clock = new VirtualClock();
  const removal = expect(removeCgroup(kernel, layout, POD, clock)).rejects.toThrow(
    `failed to kill all the processes attached to the ${POD} cgroups : 7`,
  );
  await clock.advance(1000);
  await removal;
});
