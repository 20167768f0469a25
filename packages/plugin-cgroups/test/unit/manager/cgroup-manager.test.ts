import { errorText, type Pod } from "@hooklet/core";
import { parseList } from "@hooklet/core/rules";
import type { KernelTree } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { CgroupManager } from "../../../src/manager/cgroup-manager.js";
import type { CgroupOptions } from "../../../src/options.js";
import type { MachineRuleFacts } from "../../../src/plan/node-rules.js";
import { aMachine } from "../machine.js";
import { aNode, aPod, both, GIB, MIB } from "../world.js";

const noPods = async (): Promise<ReadonlySet<string>> => new Set();
const MINUTE = 60_000;

function world(options: Partial<CgroupOptions> = {}, machine: Partial<MachineRuleFacts> = {}) {
  const version = machine.version ?? "v1";
  const { host, kernel, files, layout, clock } = aMachine(version);
  const reports: string[] = [];
  let changes = 0;
  const manager = new CgroupManager({
    files,
    layout,
    rules: aNode(options, { ...machine, version }),
    clock,
    ownedChanged: () => void changes++,
    reports: {
      repaired: (message, pod) => reports.push(`repaired ${pod?.metadata.name ?? "node"}: ${message}`),
      refused: ({ path, file, errno }) => reports.push(`refused ${path}/${file} ${errno}`),
      removedOrphan: (path, killed) => reports.push(`orphan ${path} ${killed}`),
      foreign: (path, processes) => reports.push(`foreign ${path} ${processes}`),
      failedRemoval: (path, message) => reports.push(`left ${path}: ${message}`),
      took: () => undefined,
    },
  });
  const cpu = (path: string): string | undefined => kernel.read(`/sys/fs/cgroup/cpu${path}/cpu.shares`);
  return { manager, host, kernel, files, clock, reports, cpu, changes: () => changes };
}

const burstable = (name: string, cpu: string): Pod => aPod(name, [{ requests: { cpu } }]);

test.each(["v1", "v2"] as const)("a pod whose cgroup cannot be made on %s does not start", async (version) => {
  const { manager, kernel } = world({}, { version });
  await manager.open([]);
  const path = "/kubepods/burstable/poduid-a";
  kernel.fail(`/sys/fs/cgroup${version === "v1" ? "/memory" : ""}${path}`, "ENOSPC");
  await expect(manager.ensurePod(burstable("a", "250m"))).rejects.toMatchObject({
    code: "INVALID",
    message: expect.stringMatching(new RegExp(`^failed to create container for ${path} : .*ENOSPC`)),
  });
});

describe("QoS cgroups", () => {
  test("follow the Burstable pods that come and go", async () => {
    const { manager, cpu } = world();
    await manager.open([]);
    expect([cpu("/kubepods"), cpu("/kubepods/burstable"), cpu("/kubepods/besteffort")]).toEqual(["2048", "2", "2"]);
    await manager.ensurePod(burstable("a", "250m"));
    await manager.ensurePod(burstable("b", "500m"));
    expect(cpu("/kubepods/burstable")).toBe("768");
    await manager.removePod(burstable("a", "250m"));
    expect(cpu("/kubepods/burstable")).toBe("512");
  });

  test("are written when what their pods ask for changes, and repaired by the reconciliation, not for each pod", async () => {
    const { manager, kernel, cpu } = world();
    const [a, b] = [burstable("a", "250m"), aPod("b", [{}])];
    await manager.open([]);
    await manager.ensurePod(a);
    kernel.set("/sys/fs/cgroup/cpu/kubepods/burstable/cpu.shares", "9");
    await manager.ensurePod(b);
    expect(cpu("/kubepods/burstable")).toBe("9");
    await manager.reconcile([a, b]);
    expect(cpu("/kubepods/burstable")).toBe("256");
    kernel.set("/sys/fs/cgroup/cpu/kubepods/burstable/cpu.shares", "9");
    await manager.ensurePod(aPod("c", [{}]));
    expect(cpu("/kubepods/burstable")).toBe("256");
  });

  test("a memory reserve that is in use already is capped at what is used", async () => {
    const { manager, kernel, reports } = world({ qosReserved: { memory: "100%" } });
    const file = "/sys/fs/cgroup/memory/kubepods/besteffort/memory.limit_in_bytes";
    await manager.open([]);
    kernel.set("/sys/fs/cgroup/memory/kubepods/besteffort/memory.usage_in_bytes", String(7 * GIB));
    const write = kernel.write.bind(kernel);
    kernel.write = (path, value) => {
      if (path === file && Number(value) < 7 * GIB) throw Object.assign(new Error("EBUSY"), { code: "EBUSY" });
      write(path, value);
    };
    await manager.ensurePod(aPod("g", [both({ cpu: "1", memory: "2Gi" })]));
    expect(kernel.read(file)).toBe(String(7 * GIB));
    expect(reports).toEqual([]);
  });

  test("a tree that cannot be made fails the start in the kubelet's words", async () => {
    const { manager, kernel } = world();
    kernel.fail("/sys/fs/cgroup/memory/kubepods", "EROFS");
    const error = await manager.open([]).catch(errorText);
    expect(error).toContain("failed to create top level QOS cgroup /kubepods : ");
    expect(error).toContain("EROFS");
  });
});

describe("reservations of the system", () => {
  test("are written to a cgroup that is there", async () => {
    const { manager, kernel, cpu } = world(
      { systemReservedCgroup: "/system", enforceNodeAllocatable: ["pods", "system-reserved"] },
      { systemReserved: parseList({ cpu: "500m", memory: "1Gi" }) },
    );
    for (const name of ["cpu", "memory"]) kernel.makeDirectory(`/sys/fs/cgroup/${name}/system`);
    expect(await manager.tree.enforce("system-reserved")).toBe("/system");
    expect(cpu("/system")).toBe("512");
  });

  test("fail in the kubelet's words where it is not", async () => {
    const { manager } = world({ kubeReservedCgroup: "/agents", enforceNodeAllocatable: ["kube-reserved"] });
    await expect(manager.tree.enforce("kube-reserved-compressible")).rejects.toThrow(
      'Failed to enforce Kube Reserved Compressible Cgroup Limits on "/agents"',
    );
  });
});

describe("reconcile", () => {
  test("writes nothing when nothing changed, whatever pods came and ended meanwhile", async () => {
    const { manager, kernel, reports } = world();
    const pods = [burstable("a", "250m"), burstable("b", "500m")];
    await manager.open([]);
    for (const pod of pods) await manager.ensurePod(pod);
    await manager.removePod(burstable("b", "500m"));
    const count = kernel.writes.length;
    await manager.reconcile(pods.slice(0, 1));
    expect(kernel.writes).toHaveLength(count);
    expect(reports).toEqual([]);
  });

  test("a file that was written and a cgroup that was deleted from outside are repaired, and that is reported", async () => {
    const { manager, kernel, reports, cpu } = world({ podPidsLimit: 100 });
    const pod = aPod("a", [both({ cpu: "1", memory: "64Mi" })]);
    await manager.open([]);
    await manager.ensurePod(pod);
    kernel.set("/sys/fs/cgroup/cpu/kubepods/burstable/cpu.shares", "7");
    kernel.set("/sys/fs/cgroup/cpu/kubepods/poduid-a/cpu.shares", "9");
    kernel.removeDirectory("/sys/fs/cgroup/pids/kubepods/poduid-a");
    await manager.reconcile([pod]);
    expect([cpu("/kubepods/burstable"), cpu("/kubepods/poduid-a")]).toEqual(["2", "1024"]);
    expect(kernel.read("/sys/fs/cgroup/pids/kubepods/poduid-a/pids.max")).toBe("100");
    expect(reports).toEqual([
      "repaired node: cpu.shares of cgroup /kubepods/burstable was 7, set to 2 again",
      "repaired a: cgroup /kubepods/poduid-a was gone and was made again",
    ]);
  });

  test("a pod that ended on its own removes its share of the QoS cgroup, which is no repair", async () => {
    const { manager, reports, cpu } = world();
    await manager.open([]);
    await manager.ensurePod(burstable("a", "250m"));
    await manager.reconcile([]);
    expect(cpu("/kubepods/burstable")).toBe("2");
    expect(reports).toEqual([]);
  });

  test("a refusal of the kernel is reported once, and again when it changes", async () => {
    const { manager, kernel, reports } = world();
    const pod = aPod("a", [both({ cpu: "1", memory: "64Mi" })]);
    const file = "/sys/fs/cgroup/memory/kubepods/poduid-a/memory.limit_in_bytes";
    kernel.fail(file, "EBUSY");
    await manager.open([]);
    await manager.ensurePod(pod);
    await manager.reconcile([pod]);
    expect(reports).toEqual(["refused /kubepods/poduid-a/memory.limit_in_bytes EBUSY"]);
    expect(manager.refusals()).toHaveLength(1);
    kernel.fail(file, "EINVAL");
    await manager.reconcile([pod]);
    expect(reports).toHaveLength(2);
    kernel.fail(file, undefined);
    await manager.reconcile([pod]);
    expect(manager.refusals()).toEqual([]);
    expect(kernel.read(file)).toBe(String(64 * MIB));
  });
});

describe("removal", () => {
  test("a pod that comes back while its cgroup goes gets a new one", async () => {
    const { manager, cpu, reports } = world();
    const pod = burstable("a", "250m");
    await manager.open([]);
    await manager.ensurePod(pod);
    const removal = manager.removePod(burstable("a", "250m"));
    await Promise.all([removal, manager.ensurePod(pod)]);
    expect(cpu("/kubepods/burstable/poduid-a")).toBe("256");
    expect(reports).toEqual([]);
  });

  test("what cannot be removed is reported and removed with the orphans later", async () => {
    const { manager, host, files, reports, clock, cpu } = world();
    const { killCgroup } = files;
    await manager.open([]);
    await manager.ensurePod(burstable("a", "250m"));
    host.addProcess(7, "/sys/fs/cgroup/pids/kubepods/burstable/poduid-a");
    files.killCgroup = async () => [7];
    const removal = manager.removePod(burstable("a", "250m"));
    await clock.advance(1000);
    await removal;
    expect(reports[0]).toContain(
      "failed to kill all the processes attached to the /kubepods/burstable/poduid-a cgroups : 7",
    );
    files.killCgroup = killCgroup;
    await manager.removeOrphans(new Set(), noPods);
    expect(reports[1]).toBe("orphan /kubepods/burstable/poduid-a 1");
    expect(cpu("/kubepods/burstable/poduid-a")).toBeUndefined();
  });
});

describe("orphans", () => {
  const make = (kernel: KernelTree, path: string): void => {
    for (const name of ["cpu", "memory", "pids"]) kernel.makeDirectory(`/sys/fs/cgroup/${name}${path}`);
  };

  test("of this agent go at once with what runs in them, in every QoS class", async () => {
    const { manager, host, kernel, reports } = world();
    await manager.open([]);
    manager.adopt(["x", "y", "z"]);
    const paths = ["/kubepods/podx", "/kubepods/burstable/pody", "/kubepods/besteffort/podz"];
    for (const path of paths) make(kernel, path);
    host.addProcess(5, "/sys/fs/cgroup/pids/kubepods/podx");
    await manager.removeOrphans(new Set(), noPods);
    expect(reports).toEqual([`orphan ${paths[0]} 1`, `orphan ${paths[1]} 0`, `orphan ${paths[2]} 0`]);
    expect(manager.owned()).toEqual([]);
  });

  test("of others are left alone while processes run in them, which is reported, and while they are young", async () => {
    const { manager, host, kernel, reports, clock } = world();
    await manager.open([]);
    make(kernel, "/kubepods/podx");
    make(kernel, "/kubepods/pody");
    host.addProcess(5, "/sys/fs/cgroup/pids/kubepods/podx");
    await manager.removeOrphans(new Set(), noPods);
    expect(reports).toEqual(["foreign /kubepods/podx 1"]);
    await clock.advance(MINUTE);
    await manager.removeOrphans(new Set(), noPods);
    expect(reports.slice(1)).toEqual(["foreign /kubepods/podx 1", "orphan /kubepods/pody 0"]);
    expect(host.signals).toEqual([]);
  });

  test("with a pod or a sandbox are none, and what is no pod's cgroup is never touched", async () => {
    const { manager, kernel, reports, clock } = world();
    await manager.open([]);
    manager.adopt(["known", "sandbox"]);
    for (const path of [
      "/kubepods/podknown",
      "/kubepods/podsandbox",
      "/kubepods/other",
      "/other",
      "/kubepods/burstable/deep",
    ]) {
      make(kernel, path);
    }
    await clock.advance(2 * MINUTE);
    await manager.removeOrphans(new Set(["known"]), async () => new Set(["sandbox"]));
    expect(reports).toEqual([]);
  });

  test("a thousand go in one sweep, with one question to the runtime", async () => {
    const { manager, kernel, clock, reports } = world();
    await manager.open([]);
    for (let i = 0; i < 1000; i++) make(kernel, `/kubepods/burstable/pod${i}`);
    await clock.advance(MINUTE);
    let questions = 0;
    await manager.removeOrphans(new Set(), async () => {
      questions++;
      return new Set();
    });
    expect(reports).toHaveLength(1000);
    expect(questions).toBe(1);
    expect(kernel.directories("/sys/fs/cgroup/cpu/kubepods/burstable")).toEqual([]);
  });
});

describe("orphans in great number", () => {
  test("other work runs between two removals, and an aborted sweep leaves the rest to the next", async () => {
    const { manager, kernel, clock, reports } = world();
    await manager.open([]);
    for (let i = 0; i < 10; i++) kernel.makeDirectory(`/sys/fs/cgroup/cpu/kubepods/pod${i}`);
    await clock.advance(MINUTE);
    const stop = new AbortController();
    const sweep = manager.removeOrphans(new Set(), noPods, stop.signal);
    let turns = 0;
    while (reports.length < 5 && turns++ < 100) await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    await sweep;
    expect(reports).toHaveLength(5);
    await manager.removeOrphans(new Set(), noPods);
    expect(reports).toHaveLength(10);
  });
});

describe("an agent that was killed between making cgroups and writing their files", () => {
  test.each(["v1", "v2"] as const)("is finished by the next one: %s", async (version) => {
    const pod = aPod("a", [both({ cpu: "1", memory: "64Mi" })]);
    const { manager, kernel } = world({ podPidsLimit: 100 }, { version });
    const roots =
      version === "v2" ? [""] : ["/cpu", "/memory", "/pids", "/cpuset", "/freezer", "/systemd", "/cpuacct", "/hugetlb"];
    // Made, and nothing else.
    for (const root of roots) kernel.addFolder(`/sys/fs/cgroup${root}/kubepods/burstable`);
    for (const root of roots) kernel.addFolder(`/sys/fs/cgroup${root}/kubepods/poduid-a`);
    await manager.open([pod]);
    await manager.ensurePod(pod);
    const read = (file: string) =>
      kernel.read(`/sys/fs/cgroup${version === "v2" ? "" : `/${file.split(".")[0]}`}/kubepods/poduid-a/${file}`);
    const wanted =
      version === "v2"
        ? { "cpu.max": "100000 100000", "memory.max": String(64 * MIB), "pids.max": "100" }
        : { "cpu.cfs_quota_us": "100000", "memory.limit_in_bytes": String(64 * MIB), "pids.max": "100" };
    expect(Object.fromEntries(Object.keys(wanted).map((file) => [file, read(file)]))).toEqual(wanted);
    if (version === "v2") expect(kernel.read("/sys/fs/cgroup/kubepods/cgroup.subtree_control")).toContain("memory");
  });
});
