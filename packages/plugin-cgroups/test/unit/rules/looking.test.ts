/** What people see: `hooklet plan cgroups`, `hooklet get cgroups`, `hooklet explain pod`. */
import { aContainer, aPod, SimulatedHost, SimulatedRuntime, startTestAgent, VirtualClock } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import plugin from "../../../src/index.js";

const both = (cpu: string, memory: string) => ({ requests: { cpu, memory }, limits: { cpu, memory } });
const named = (name: string, ...resources: readonly object[]) =>
  aPod({
    name,
    containers: resources.map((amounts, index) =>
      aContainer({ name: index === 0 ? "main" : `c${index}`, resources: amounts }),
    ),
  });

const guaranteed = named("guaranteed", both("1", "1Gi"));
const burstable = named("burstable", both("1", "1Gi"), {
  requests: { cpu: "1", memory: "1Gi" },
  limits: { cpu: "2", memory: "2Gi" },
});

/** The worked example: 3 cores and 8 GiB, all memory requests reserved, two of the three pods running. */
async function start(version: "v1" | "v2" = "v1") {
  const clock = new VirtualClock();
  const host = new SimulatedHost({ clock, cgroups: version });
  const options = { cgroupRoot: "/", qosReserved: { memory: "100%" } };
  const node = { capacity: { cpu: "3", memory: "8Gi" } };
  const agent = await startTestAgent({ clock, host, node, plugins: [[plugin, options]] });
  for (const pod of [guaranteed, named("besteffort", {})]) await agent.apply(pod);
  await agent.waitFor(() => ["guaranteed", "besteffort"].every((name) => agent.pod(name).status?.phase === "Running"));
  const manifest = JSON.stringify({
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "burstable" },
    spec: burstable.spec,
  });
  /** `cgroup/file: value`, with names in place of uids. */
  const plan = async (given: Record<string, string> = {}): Promise<string[]> => {
    const decisions = await agent.api.plan("cgroups", { manifest, arguments: given });
    return decisions.flatMap(({ considered, outcome }) =>
      considered.map(({ candidate, verdict }) => `${outcome.replace(/\/pod[^/]+/, "/<pod>")}/${candidate}: ${verdict}`),
    );
  };
  return { agent, host, clock, plan };
}

describe("plan cgroups", () => {
  test("shows the worked example with a pod that does not run yet, and changes nothing", async () => {
    const { plan, host } = await start();
    const before = host.kernel.read("/sys/fs/cgroup/cpu/kubepods/burstable/cpu.shares");
    expect(await plan()).toEqual(
      expect.arrayContaining([
        "/kubepods/cpu.shares: 3072",
        "/kubepods/burstable/cpu.shares: 2048",
        "/kubepods/burstable/memory.limit_in_bytes: 7516192768",
        "/kubepods/besteffort/cpu.shares: 2",
        "/kubepods/besteffort/memory.limit_in_bytes: 5368709120",
        "/kubepods/burstable/<pod>/cpu.shares: 2048",
        "/kubepods/burstable/<pod>/cpu.cfs_quota_us: 300000",
        "/kubepods/burstable/<pod>/cpu.cfs_period_us: 100000",
        "/kubepods/burstable/<pod>/memory.limit_in_bytes: 3221225472",
        "/kubepods/burstable/<pod>/main/cpu.shares: 1024",
        "/kubepods/burstable/<pod>/c1/cpu.shares: 1024",
        "/kubepods/burstable/<pod>/c1/memory.limit_in_bytes: 2147483648",
      ]),
    );
    expect(host.kernel.read("/sys/fs/cgroup/cpu/kubepods/burstable/cpu.shares")).toBe(before);
  });

  test("--cgroup v2 shows the same on the other kind of machine", async () => {
    const { plan } = await start();
    expect(await plan({ cgroup: "v2" })).toEqual(
      expect.arrayContaining([
        "/kubepods/cpu.weight: 118",
        "/kubepods/burstable/memory.max: 7516192768",
        "/kubepods/burstable/<pod>/cpu.max: 300000 100000",
        "/kubepods/burstable/<pod>/c1/memory.max: 2147483648",
      ]),
    );
    const back = await start("v2");
    expect(await back.plan({ cgroup: "v1" })).toContain("/kubepods/burstable/<pod>/cpu.cfs_quota_us: 300000");
  });

  test.each([
    [{ cgroup: "v3" }, "expected --cgroup v1 or v2, found --cgroup v3"],
    [{ until: "70" }, "expected --cgroup v1|v2 or nothing, found --until"],
  ])("%j is refused with what is expected", async (given, message) => {
    const { plan } = await start();
    await expect(plan(given as unknown as Record<string, string>)).rejects.toThrow(message);
  });
});

describe("get cgroups", () => {
  test("has a row for each level with limits, usage and state, and more columns when asked", async () => {
    const { agent } = await start();
    const { columns, rows } = await agent.api.view("cgroups");
    expect(columns.filter(({ wide }) => wide).map(({ name }) => name)).toEqual(["processes", "throttled", "oom kills"]);
    const paths = rows.map(({ cgroup, pod }) => `${String(cgroup).replace(/\/pod[^/]+$/, "/<pod>")} ${pod}`);
    expect(paths).toEqual([
      "/kubepods ",
      "/kubepods/besteffort ",
      "/kubepods/besteffort/<pod> default/besteffort",
      "/kubepods/burstable ",
      "/kubepods/<pod> default/guaranteed",
    ]);
    expect(rows.find(({ pod }) => pod === "default/guaranteed")).toMatchObject({
      cpu: "1024",
      "cpu limit": "100000",
      "memory limit": "1Gi",
      state: "ok",
    });
  });

  test("-o json has every file with what is wanted, what is there, and the formula", async () => {
    const { agent, host } = await start();
    const path = `/kubepods/pod${agent.pod("guaranteed").metadata.uid}`;
    host.kernel.write(`/sys/fs/cgroup/cpu${path}/cpu.cfs_quota_us`, "7000");
    const { rows } = await agent.api.view("cgroups");
    expect(rows.find(({ cgroup }) => cgroup === path)).toMatchObject({
      state: "cpu.cfs_quota_us: wanted 100000, is 7000",
      files: expect.arrayContaining([
        { file: "cpu.cfs_quota_us", wanted: "100000", actual: "7000", why: "cpu limit of the pod, 1 x 100000 us" },
      ]),
    });
  });
});

test("explain pod names the file that is not as wanted", async () => {
  const { agent, host } = await start();
  const path = `/kubepods/pod${agent.pod("guaranteed").metadata.uid}`;
  const outcome = async () =>
    (await agent.api.explainNow("pod", "default/guaranteed")).find(({ plugin }) => plugin.endsWith("cgroups"))?.outcome;
  expect(await outcome()).toBe(`${path}: computed now; ok`);
  host.kernel.write(`/sys/fs/cgroup/cpu${path}/cpu.shares`, "7");
  expect(await outcome()).toBe(`${path}: computed now; cpu.shares: wanted 1024, is 7`);
});

test("explain pod shows the plan where there are no cgroups, and does not present it as a verdict", async () => {
  const clock = new VirtualClock();
  const host = new SimulatedHost({ clock, cgroups: "v1" });
  host.kernel.fail("/sys/fs/cgroup/memory/kubepods", "EROFS");
  const runtime = new SimulatedRuntime({ clock });
  const { info } = runtime;
  const none = { what: "cgroups", isolated: "no", how: "they cannot be written" } as const;
  runtime.info = async () => ({ ...(await info.call(runtime)), isolation: [none] });
  const agent = await startTestAgent({ clock, host, runtime, plugins: [[plugin, { cgroupRoot: "/" }]] });
  await agent.apply(guaranteed);
  await agent.waitFor(() => agent.pod("guaranteed").status?.phase === "Running");
  const [own, container] = (await agent.api.explainNow("pod", "default/guaranteed")).filter(({ plugin: by }) =>
    by.endsWith("cgroups"),
  );
  for (const decision of [own, container]) {
    expect(decision?.outcome).toMatch(/: computed now; not enforced, there are no cgroups for it here$/);
    expect(decision?.considered).toContainEqual(
      expect.objectContaining({
        candidate: "cpu.shares",
        verdict: "not enforced",
        why: expect.stringMatching(/^would be 1024: /),
      }),
    );
  }
  const score = container?.considered.find(({ candidate }) => candidate === "oom_score_adj");
  expect(score?.verdict).toBe("-997");
  await agent.stop();
});
