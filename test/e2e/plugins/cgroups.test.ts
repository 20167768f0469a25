/** Limits hold for real: the kernel's files against a real kubelet's, and pods that want more than they may have. */
import { readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { root } from "../../sources.js";
import { until } from "../agent.js";
import { type RealRuntime, runtimes } from "../runtimes.js";
import { CgroupNode, noV1Cgroups } from "./cgroup-node.js";

const LIMIT = 180_000;
const MIB = 1024 ** 2;

const golden = readFileSync(path.join(root, "packages/plugin-cgroups/test/golden/cgroups-v1.txt"), "utf8");

/** cgroup (with names in place of ids), file, value. */
const goldenFiles = golden.split("\n").flatMap((line): [string, string, string][] => {
  const [, cgroup, file, value] = /^[a-z]+(\/kubepods.*)\/([a-z_.]+): (.*)$/.exec(line) ?? [];
  return cgroup === undefined || file === undefined || value === undefined ? [] : [[cgroup, file, value]];
});

/** What of the recorded machine is another on this one. */
function ofThisMachine(cgroup: string, file: string, value: string): string {
  if (file === "cpuset.cpus") return readFileSync("/sys/fs/cgroup/cpuset/cpuset.cpus", "utf8").trim();
  if (cgroup !== "/kubepods") return value;
  const number = (name: string): number => Number(readFileSync(`/proc/sys/kernel/${name}`, "utf8"));
  if (file === "cpu.shares") return String(1024 * os.cpus().length);
  if (file === "memory.limit_in_bytes") return String(Math.floor(os.totalmem() / 4096) * 4096);
  return file === "pids.max" ? String(Math.min(number("pid_max"), number("threads-max"))) : value;
}

const both = (cpu: string, memory: string) => ({ requests: { cpu, memory }, limits: { cpu, memory } });
const here = runtimes.filter(({ lacking }) => lacking === undefined && noV1Cgroups === undefined);

if (here.length === 0) test.skip(`limits on real cgroups: ${noV1Cgroups}`, () => undefined);

(here.length === 0 ? describe.skip : describe).each(here)("on $name", (offer) => {
  let runtime: RealRuntime;

  beforeAll(async () => {
    runtime = await offer.start("cgroups");
  }, LIMIT);

  afterAll(() => runtime.stop(), LIMIT);

  describe("three pods that a kubelet was watched with", () => {
    let node: CgroupNode;

    beforeAll(async () => {
      node = await CgroupNode.create(runtime, { podPidsLimit: 1024 });
      await node.apply({
        guaranteed: { resources: both("1", "256Mi") },
        burstable: {
          resources: { requests: { cpu: "250m", memory: "64Mi" }, limits: { cpu: "500m", memory: "128Mi" } },
        },
        besteffort: {},
      });
      await node.run("guaranteed", "burstable", "besteffort");
    }, LIMIT);

    afterAll(() => node.remove(), LIMIT);

    test(
      "every file of the node, the QoS classes, the pods and the containers holds what the kubelet's held",
      async () => {
        const found: string[] = [];
        const wanted: string[] = [];
        const pods = new Map<string, { readonly pod: string; readonly container: string }>();
        for (const name of ["guaranteed", "burstable", "besteffort"]) {
          pods.set(name, { pod: await node.podCgroup(name), container: await node.containerCgroup(name) });
        }
        for (const [cgroup, file, value] of goldenFiles) {
          // Local processes have no sandbox process, and only the hierarchies that limit something.
          if (cgroup.endsWith("<sandbox>")) continue;
          if (file === "cpuset.cpus" && cgroup.endsWith("<main>") && runtime.name === "process") continue;
          const places = pods.get(/<uid of (\w+)>/.exec(cgroup)?.[1] ?? "");
          const place = cgroup.endsWith("<main>") ? places?.container : places?.pod;
          wanted.push(`${cgroup}/${file}: ${ofThisMachine(cgroup, file, value)}`);
          found.push(`${cgroup}/${file}: ${node.read(place ?? `${node.root}${cgroup}`, file)}`);
        }
        expect(found).toEqual(wanted);
        expect(found.length).toBeGreaterThan(40);
      },
      LIMIT,
    );

    test("processes have the oom scores that the kubelet's had, as far as this machine lets them be lowered", async () => {
      const scores = [];
      for (const pod of ["besteffort", "burstable"]) scores.push(node.oomScore(await node.containerCgroup(pod)));
      const burstable = 1000 - Math.floor((1000 * 64 * MIB) / os.totalmem());
      expect(scores).toEqual([1000, Math.min(burstable, 999)]);
      const guaranteed = node.oomScore(await node.containerCgroup("guaranteed"));
      expect([-997, 0]).toContain(guaranteed);
    });

    test("get cgroups shows the tree, and all of it as wanted", async () => {
      const { stdout, code } = await node.place.hooklet("get", "cgroups", "-o", "json");
      expect(code).toBe(0);
      const items = JSON.parse(stdout) as { cgroup: string; pod: string; state: string }[];
      expect(items.map(({ state }) => state)).toEqual(items.map(() => "ok"));
      expect(
        items
          .map(({ pod }) => pod)
          .filter(Boolean)
          .sort(),
      ).toEqual(["default/besteffort", "default/burstable", "default/guaranteed"]);
    });

    test("a pod's cgroup goes with the pod, in every hierarchy, and its share of the QoS cgroup too", async () => {
      const place = await node.podCgroup("burstable");
      expect((await node.place.hooklet("delete", "pod", "burstable")).code).toBe(0);
      await until("the cgroup is gone", async () => !existsAnywhere(place));
      expect(node.read(`${node.root}/kubepods/burstable`, "cpu.shares")).toBe("2");
    });
  });

  describe("pods that want more than they may have", () => {
    let node: CgroupNode;

    beforeAll(async () => {
      node = await CgroupNode.create(runtime, { podPidsLimit: 64 });
    }, LIMIT);

    afterAll(() => node.remove(), LIMIT);

    test(
      "a busy pod of 200m gets a fifth of a core",
      async () => {
        await node.apply({ hog: { resources: { limits: { cpu: "200m" } }, script: "while :; do :; done" } });
        await node.run("hog");
        const place = await node.podCgroup("hog");
        await expectCores(node, place, 0.2);
        await node.place.hooklet("delete", "pod", "hog");
      },
      LIMIT,
    );

    test(
      "a pod that takes more memory than its limit is killed, alone",
      async () => {
        await node.apply({
          neighbour: { resources: { limits: { memory: "64Mi" } } },
          greedy: {
            resources: { limits: { memory: "32Mi" } },
            script: "tail /dev/zero",
            spec: { restartPolicy: "Never" },
          },
        });
        await until("the greedy pod fails", async () => (await node.get("greedy")).status.phase === "Failed", 60);
        const [status] = (await node.get("greedy")).status.containerStatuses ?? [];
        expect(status?.state.terminated).toMatchObject({ reason: "OOMKilled", exitCode: 137 });
        await node.run("neighbour");
        expect((await node.get("neighbour")).status.containerStatuses?.[0]?.restartCount).toBe(0);
        await node.place.hooklet("delete", "pod", "neighbour", "greedy");
      },
      LIMIT,
    );

    test(
      "a process that is killed for want of memory is told with its pid, and the container as OOMKilled, also when another one was its first",
      async () => {
        await node.apply({
          careless: {
            resources: { limits: { memory: "32Mi" } },
            script: "tail /dev/zero; sleep 15; exit 0",
            spec: { restartPolicy: "Never" },
          },
        });
        await until("it is told", async () => {
          const { stdout } = await node.place.hooklet("events", "--for", "pod/careless");
          return /OOMKilling .*Memory cgroup OOM encountered, victim process: tail, pid: \d+/.test(stdout);
        });
        await until("it ends", async () => (await node.get("careless")).status.phase === "Succeeded", 60);
        const [status] = (await node.get("careless")).status.containerStatuses ?? [];
        expect(status?.state.terminated).toMatchObject({ reason: "OOMKilled", exitCode: 0 });
        await node.place.hooklet("delete", "pod", "careless");
      },
      LIMIT,
    );

    test(
      "a running pod is resized from 200m to 500m and back without a restart, and gets what it asks for",
      async () => {
        const script = "while :; do :; done";
        const hog = (cpu: string) => ({ resized: { resources: { limits: { cpu } }, script } });
        await node.apply(hog("200m"));
        await node.run("resized");
        const place = await node.podCgroup("resized");
        const { uid } = (await node.get("resized")).metadata;
        for (const [cpu, quota, cores] of [
          ["500m", "50000", 0.5],
          ["200m", "20000", 0.2],
        ] as const) {
          await node.apply(hog(cpu));
          const container = await node.containerCgroup("resized");
          await until(`it has ${cpu}`, async () => node.read(container, "cpu.cfs_quota_us") === quota, 60);
          expect(node.read(place, "cpu.cfs_quota_us")).toBe(quota);
          await expectCores(node, place, cores);
        }
        const after = await node.get("resized");
        expect(after.metadata.uid).toBe(uid);
        expect(after.status.containerStatuses?.[0]?.restartCount).toBe(0);
        await node.place.hooklet("delete", "pod", "resized");
      },
      LIMIT,
    );

    test(
      "two busy pods of 100m and 300m share one core one to three",
      async () => {
        node.pinTo("0");
        const script = "while :; do :; done";
        await node.apply({
          less: { resources: { requests: { cpu: "100m" } }, script },
          more: { resources: { requests: { cpu: "300m" } }, script },
        });
        await node.run("less", "more");
        const [less, more] = [await node.podCgroup("less"), await node.podCgroup("more")];
        const [a, b] = await Promise.all([node.used(less, 8), node.used(more, 8)]);
        await node.place.hooklet("delete", "pod", "less");
        await node.place.hooklet("delete", "pod", "more");
        expect(b.cores / a.cores).toBeGreaterThan(3 * 0.85);
        expect(b.cores / a.cores).toBeLessThan(3 * 1.15);
      },
      LIMIT,
    );

    test(
      "what somebody else writes to the agent's files is right again within a minute, with an event",
      async () => {
        await node.apply({ kept: { resources: { limits: { cpu: "300m", memory: "64Mi" } } } });
        await node.run("kept");
        const place = await node.podCgroup("kept");
        node.write(place, "cpu.cfs_quota_us", "-1");
        node.write(`${node.root}/kubepods/besteffort`, "cpu.shares", "1000");
        await until("the quota is back", async () => node.read(place, "cpu.cfs_quota_us") === "30000", 90);
        expect(node.read(`${node.root}/kubepods/besteffort`, "cpu.shares")).toBe("2");
        const { stdout } = await node.place.hooklet("events");
        expect(stdout).toContain(`cpu.cfs_quota_us of cgroup ${place} was -1, set to 30000 again`);
      },
      LIMIT,
    );

    test(
      "an agent that was killed finishes what it had begun of its pods' cgroups, and removes that of a pod which goes",
      async () => {
        const kept = await node.podCgroup("kept");
        await node.apply({ gone: { resources: { limits: { memory: "64Mi" } } } });
        await node.run("gone");
        const place = await node.podCgroup("gone");
        // The set of own pods is written once a second.
        await new Promise((resolve) => setTimeout(resolve, 2000));
        await node.place.kill();
        // As a kill between mkdir and the writes leaves a cgroup.
        node.write(kept, "cpu.cfs_quota_us", "-1");
        node.write(kept, "memory.limit_in_bytes", "-1");
        await node.start();
        await node.run("kept", "gone");
        await until("the quota is there", async () => node.read(kept, "cpu.cfs_quota_us") === "30000", 30);
        expect(node.read(kept, "memory.limit_in_bytes")).toBe(String(64 * MIB));
        expect((await node.place.hooklet("delete", "pod", "gone")).code).toBe(0);
        await until("the cgroup is gone", async () => !existsAnywhere(place));
      },
      LIMIT,
    );

    test(
      "a fork bomb stops at podPidsLimit",
      async () => {
        // The shell that cannot fork any more ends; what it started stays.
        await node.apply({ bomb: { script: "(while :; do sleep 60 & done) 2>/dev/null; sleep 1000" } });
        await node.run("bomb");
        const place = await node.podCgroup("bomb");
        const current = (): number => Number(node.read(place, "pids.current"));
        await until("it has all that it may have", async () => current() >= 60, 60);
        for (let i = 0; i < 20; i++) {
          expect(current()).toBeLessThanOrEqual(64);
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
        await node.place.hooklet("delete", "pod", "bomb");
        await until("nothing is left of it", async () => !existsAnywhere(place), 60);
      },
      LIMIT,
    );
  });
});

/** Within a tenth. The machine has to be quiet: where others have it, a share that was not used says nothing of the limit. */
async function expectCores(node: CgroupNode, place: string, limit: number): Promise<void> {
  const { cores, heldBack } = await node.used(place, 5);
  if (Math.abs(cores / limit - 1) <= 0.1) return;
  const held = `held back in ${Math.round(heldBack * 100)} % of the periods`;
  throw new Error(
    `expected ${limit} cores within 10 %, found ${cores.toFixed(3)} (${held}; far below 100: the machine was busy)`,
  );
}

function existsAnywhere(cgroup: string): boolean {
  return ["cpu", "memory", "pids", "cpuset", "freezer", "devices", "blkio", "systemd", "unified"].some((controller) => {
    try {
      readFileSync(`/sys/fs/cgroup/${controller}${cgroup}/cgroup.procs`);
      return true;
    } catch {
      return false;
    }
  });
}
