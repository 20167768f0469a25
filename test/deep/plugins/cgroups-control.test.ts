/** What the agent keeps up for real: exclusive CPUs, bursts, resizes that wait, processes and cgroups that others moved or left. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import os from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { until } from "../../support/agent.js";
import { CgroupNode, noV1Cgroups } from "../../support/cgroup-node.js";
import { type RealRuntime, runtimes } from "../../support/runtimes.js";

const LIMIT = 240_000;
const both = (cpu: string, memory = "32Mi") => ({ requests: { cpu, memory }, limits: { cpu, memory } });
const here = runtimes.filter(({ lacking }) => lacking === undefined && noV1Cgroups === undefined);
const busy = "while :; do :; done";

if (here.length === 0) test.skip(`control of real cgroups: ${noV1Cgroups}`, () => undefined);

(here.length === 0 ? describe.skip : describe).each(here)("on $name", (offer) => {
  let runtime: RealRuntime;

  beforeAll(async () => {
    runtime = await offer.start("control");
  }, LIMIT);

  afterAll(() => runtime.stop(), LIMIT);

  describe("exclusive CPUs", () => {
    let node: CgroupNode;
    const state = () =>
      JSON.parse(readFileSync(`${node.place.rootDir}/cpu_manager_state`, "utf8")) as { defaultCpuSet: string };
    const all = os.cpus().length === 1 ? "0" : `0-${os.cpus().length - 1}`;

    beforeAll(async () => {
      node = await CgroupNode.create(runtime, { cpuManagerPolicy: "static" }, { systemReserved: { cpu: "500m" } });
    }, LIMIT);

    afterAll(() => node.remove(), LIMIT);

    const allowed = async (name: string): Promise<string> => {
      const [pid] = node.read(await node.containerCgroup(name), "cgroup.procs").split("\n");
      return /^Cpus_allowed_list:\s+(.*)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "";
    };

    test(
      "a Guaranteed pod with a whole CPU has it alone, and those that ran before leave it",
      async () => {
        await node.apply({ shares: { resources: both("100m") } });
        await node.run("shares");
        expect(await allowed("shares")).toBe(all);
        await node.apply({ alone: { resources: both("1") } });
        await node.run("alone");
        const own = await allowed("alone");
        expect(own).toMatch(/^\d+$/);
        expect((await allowed("shares")).split(",")).not.toContain(own);
        expect(state().defaultCpuSet).toBe(await allowed("shares"));
        expect(node.read(await node.podCgroup("alone"), "cpu.cfs_quota_us")).toBe("-1");
        expect(node.read(await node.containerCgroup("alone"), "cpu.cfs_quota_us")).toBe("-1");
      },
      LIMIT,
    );

    test(
      "an agent that was killed goes on with that, and what a pod had is everybody's once it is gone",
      async () => {
        const before = [await allowed("alone"), await allowed("shares")];
        await node.place.kill();
        await node.start();
        await node.run("alone", "shares");
        expect([await allowed("alone"), await allowed("shares")]).toEqual(before);
        expect((await node.place.hooklet("delete", "pod", "alone")).code).toBe(0);
        await until("the CPU is shared again", async () => (await allowed("shares")) === all, 60);
      },
      LIMIT,
    );
  });

  describe("pods that change, and others that interfere", () => {
    let node: CgroupNode;

    beforeAll(async () => {
      node = await CgroupNode.create(runtime, { burst: true });
    }, LIMIT);

    afterAll(() => node.remove(), LIMIT);

    test(
      "unused quota may be saved up as the annotation says, also over a resize down and up",
      async () => {
        const annotations = { "cgroups.hooklet.dev/cpu-burst": "100%" };
        const pod = (cpu: string) => ({ bursty: { resources: both(cpu), annotations } });
        await node.apply(pod("500m"));
        await node.run("bursty");
        const [place, container] = [await node.podCgroup("bursty"), await node.containerCgroup("bursty")];
        for (const [cpu, amount] of [
          ["500m", "50000"],
          ["200m", "20000"],
          ["400m", "40000"],
        ] as const) {
          await node.apply(pod(cpu));
          await until(`the container has ${cpu}`, async () => node.read(container, "cpu.cfs_burst_us") === amount, 60);
          expect(node.read(container, "cpu.cfs_quota_us")).toBe(amount);
          await until(`the pod has ${cpu}`, async () => node.read(place, "cpu.cfs_burst_us") === amount, 60);
          expect(node.read(place, "cpu.cfs_quota_us")).toBe(amount);
        }
        expect((await node.get("bursty")).status.containerStatuses?.[0]?.restartCount).toBe(0);
        await node.place.hooklet("delete", "pod", "bursty");
      },
      LIMIT,
    );

    test(
      "a resize that waits for resources outlives the agent",
      async () => {
        const most = `${os.cpus().length * 1000 - 300}m`;
        await node.apply({ large: { resources: both(most) }, waits: { resources: both("200m") } });
        await node.run("large", "waits");
        await node.apply({ waits: { resources: both("600m") } });
        const condition = async () =>
          (await node.get("waits")).status.conditions?.find(({ type }) => type === "PodResizePending");
        await until("it waits", async () => (await condition())?.reason === "Deferred", 60);
        await node.place.kill();
        await node.start();
        await node.run("large", "waits");
        expect(await condition()).toMatchObject({ reason: "Deferred", status: "True" });
        const place = await node.podCgroup("waits");
        expect(node.read(place, "cpu.cfs_quota_us")).toBe("20000");
        await node.place.hooklet("delete", "pod", "large");
        await until("it has what it asked for", async () => node.read(place, "cpu.cfs_quota_us") === "60000", 60);
        const { status } = await node.get("waits");
        expect(status.containerStatuses?.[0]?.restartCount).toBe(0);
        expect(await condition()).toBeUndefined();
        await node.place.hooklet("delete", "pod", "waits");
      },
      LIMIT,
    );

    test(
      "a process that was moved out of its container is back within a minute, with an event",
      async () => {
        await node.apply({ kept: { resources: both("200m"), script: busy } });
        await node.run("kept");
        const container = await node.containerCgroup("kept");
        const [pid = ""] = node.read(container, "cgroup.procs").split("\n");
        writeFileSync(`/sys/fs/cgroup/memory${node.root}/cgroup.procs`, pid);
        const members = (): string => readFileSync(`/sys/fs/cgroup/memory${container}/cgroup.procs`, "utf8");
        expect(members().split("\n")).not.toContain(pid);
        await until("it is back", async () => members().split("\n").includes(pid), 90);
        const { stdout } = await node.place.hooklet("events");
        expect(stdout).toContain(`of container main was moved to ${node.root} (memory), brought back to ${container}`);
        await node.place.hooklet("delete", "pod", "kept");
      },
      LIMIT,
    );

    test(
      "a pod's deleted cgroup is back within a minute, with its limits, its processes and events",
      async () => {
        await node.apply({ robbed: { resources: both("200m") } });
        await node.run("robbed");
        const [place, container] = [await node.podCgroup("robbed"), await node.containerCgroup("robbed")];
        const pid = node.read(container, "cgroup.procs").split("\n")[0] ?? "";
        expect(pid).toMatch(/^\d+$/);
        const memory = (cgroup: string): string => `/sys/fs/cgroup/memory${cgroup}`;
        const inside = readdirSync(memory(place), { withFileTypes: true }).filter((entry) => entry.isDirectory());
        // A process may fork while it is read.
        await until("all of it is deleted", async () => {
          for (const folder of [...inside.map(({ name }) => memory(`${place}/${name}`)), memory(place)]) {
            if (existsSync(folder) && !emptied(folder, memory(node.root))) return false;
          }
          return true;
        });
        const members = (): string[] =>
          existsSync(memory(container)) ? readFileSync(`${memory(container)}/cgroup.procs`, "utf8").split("\n") : [];
        await until("it is back", async () => members().includes(pid), 90);
        const limits = [place, container].map((cgroup) => node.read(cgroup, "memory.limit_in_bytes"));
        expect(limits).toEqual([String(32 * 1024 ** 2), String(32 * 1024 ** 2)]);
        const { stdout } = await node.place.hooklet("events");
        expect(stdout).toContain(`cgroup ${place} was gone and was made again`);
        expect(stdout).toContain(`cgroup ${container} of container main was gone and was made again`);
        await node.place.hooklet("delete", "pod", "robbed");
        await until("nothing is left of it", async () => !existsSync(memory(place)), 60);
      },
      LIMIT,
    );

    test(
      "1 000 orphaned cgroups are removed",
      async () => {
        const places = Array.from({ length: 1000 }, (_, i) => `${node.root}/kubepods/burstable/podorphan-${i}`);
        const controllers = ["cpu", "memory", "pids"];
        for (const place of places) for (const name of controllers) mkdirSync(`/sys/fs/cgroup/${name}${place}`);
        const left = () =>
          places.filter((place) => controllers.some((name) => existsSync(`/sys/fs/cgroup/${name}${place}`)));
        await until("they are gone", async () => left().length === 0, 180);
        expect((await node.place.hooklet("get", "pods")).code).toBe(0);
      },
      LIMIT,
    );
  });
});

/** Moves what is in a cgroup to another one and removes it; false while a process forks in it. */
function emptied(folder: string, to: string): boolean {
  for (const pid of readFileSync(`${folder}/cgroup.procs`, "utf8").split("\n")) {
    try {
      if (pid !== "") writeFileSync(`${to}/cgroup.procs`, pid);
    } catch {
      // It ended just now.
    }
  }
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return false;
  }
}
