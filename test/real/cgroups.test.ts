/** Cgroups on real runtimes: the kernel's files hold what they hold beside a real kubelet. */
import { readFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { root } from "../sources.js";
import { until } from "../support/agent.js";
import { CgroupNode, existsAnywhere, noV1Cgroups } from "../support/cgroup-node.js";
import { type RealRuntime, runtimes } from "../support/runtimes.js";

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
});
