import { expect, test } from "@jest/globals";
import { applyPlan } from "../../../src/apply/apply.js";
import { removePodCgroup } from "../../../src/apply/cgroup.js";
import { aMachine } from "../machine.js";

const POD = "/kubepods/podx";

async function podOn(version: "v1" | "v2") {
  const machine = aMachine(version);
  await applyPlan(machine.files, machine.layout, [{ path: POD, file: "pids.max", value: "10", why: "test" }]);
  return machine;
}

test("what is left in a pod's cgroup is killed, and all its folders go, also those of the runtime", async () => {
  const { host, kernel, files, layout, clock } = await podOn("v1");
  for (const name of ["pids", "freezer"]) {
    kernel.makeDirectory(`/sys/fs/cgroup/${name}/kubepods`);
    kernel.makeDirectory(`/sys/fs/cgroup/${name}${POD}`);
    kernel.makeDirectory(`/sys/fs/cgroup/${name}${POD}/container`);
  }
  for (const pid of [41, 42]) host.addProcess(pid, `/sys/fs/cgroup/pids${POD}/container`);
  host.addProcess(43, `/sys/fs/cgroup/pids${POD}`, `/sys/fs/cgroup/cpu${POD}`);
  expect(await removePodCgroup(files, layout, POD, clock)).toBe(3);
  expect(host.signals.map(({ pid }) => pid).sort()).toEqual([41, 42, 43]);
  for (const { mountPoint } of layout.hierarchies) expect(kernel.changedAt(`${mountPoint}${POD}`)).toBeUndefined();
  const freezer = `/sys/fs/cgroup/freezer${POD}`;
  expect(kernel.writes.filter((write) => write.includes("freezer.state"))).toEqual([
    `${freezer}/freezer.state=FROZEN`,
    `${freezer}/freezer.state=THAWED`,
    `${freezer}/container/freezer.state=THAWED`,
  ]);
});

test("a cgroup that is not there is fine", async () => {
  const { files, layout, clock } = await podOn("v2");
  expect(await removePodCgroup(files, layout, "/kubepods/other", clock)).toBe(0);
});

test("after five rounds what cannot be killed is named in the kubelet's words", async () => {
  const { host, files, layout, clock } = await podOn("v2");
  host.addProcess(7, `/sys/fs/cgroup${POD}`);
  const undying = { ...files, killCgroup: async () => [7] };
  const removal = expect(removePodCgroup(undying, layout, POD, clock)).rejects.toThrow(
    `failed to kill all the processes attached to the ${POD} cgroups : 7`,
  );
  await clock.advance(1000);
  await removal;
});

test("a process that may not be killed is named in the kubelet's words", async () => {
  const { files, layout, clock } = await podOn("v2");
  const refused = { ...files, killCgroup: () => Promise.reject(new Error("7: kill EPERM")) };
  await expect(removePodCgroup(refused, layout, POD, clock)).rejects.toThrow(
    `failed to kill all the processes attached to the ${POD} cgroups : 7: kill EPERM`,
  );
});
