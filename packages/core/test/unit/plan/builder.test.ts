import type { Mount } from "@hooklet/cri-api";
import { ClaimConflictError } from "@hooklet/utils";
import { describe, expect, test } from "@jest/globals";
import { ContainerPlanBuilder } from "../../../src/plan/builder.js";
import type { ContainerPlan } from "../../../src/plan/contract.js";

const mount = (containerPath: string): Mount => ({
  containerPath,
  hostPath: "/srv/data",
  readonly: true,
  selinuxRelabel: false,
  propagation: "PRIVATE",
});
const device = (containerPath: string) => ({ containerPath, hostPath: containerPath, permissions: "rw" });

describe("one field has one owner", () => {
  const cases: { name: string; field: string; first(plan: ContainerPlan): void; second?(plan: ContainerPlan): void }[] =
    [
      { name: "an env name", field: "env TEAM", first: (plan) => plan.setEnv("TEAM", "red") },
      { name: "a device path", field: "device /dev/gpu0", first: (plan) => plan.addDevice(device("/dev/gpu0")) },
      { name: "a mount path", field: "mount /data", first: (plan) => plan.addMount(mount("/data")) },
      {
        name: "a mount path written otherwise",
        field: "mount /data",
        first: (plan) => plan.addMount(mount("/data")),
        second: (plan) => plan.addMount(mount("/srv/..//data/")),
      },
      {
        name: "a device and a mount at one path",
        field: "mount /dev/gpu0",
        first: (plan) => plan.addDevice(device("/dev/gpu0")),
        second: (plan) => plan.addMount(mount("/dev/gpu0")),
      },
      {
        name: "a CDI device",
        field: "CDI device vendor.example/gpu=0",
        first: (plan) => plan.addCdiDevice("vendor.example/gpu=0"),
      },
      { name: "an annotation", field: "annotation a/b", first: (plan) => plan.setAnnotation("a/b", "1") },
      {
        name: "a cgroup file",
        field: "cgroup file memory.high",
        first: (plan) => plan.setUnified("memory.high", "1"),
        second: (plan) => plan.setResource("unified", { "memory.high": "2" }),
      },
      {
        name: "a resource and the cgroup file behind it",
        field: "cgroup file memory.max",
        first: (plan) => plan.setResource("memoryLimitInBytes", 1),
        second: (plan) => plan.setUnified("memory.max", "2"),
      },
      {
        name: "quota and period, which share a cgroup file",
        field: "resource cpuPeriod (cgroup file cpu.max)",
        first: (plan) => plan.setResource("cpuQuota", 1000),
        second: (plan) => plan.setResource("cpuPeriod", 100000),
      },
      {
        name: "huge pages of one size",
        field: "cgroup file hugetlb.2MB.max",
        first: (plan) => plan.setResource("hugepageLimits", [{ pageSize: "2MB", limit: 1 }]),
        second: (plan) => plan.setUnified("hugetlb.2MB.max", "2"),
      },
      {
        name: "a resource that is no cgroup file",
        field: "resource oomScoreAdj",
        first: (plan) => plan.setResource("oomScoreAdj", 1),
      },
    ];

  test.each(cases)("$name: a second plugin gets an error naming both, the same plugin may set it again", (row) => {
    const builder = new ContainerPlanBuilder();
    row.first(builder.as("one"));
    row.first(builder.as("one"));
    const before = builder.result();
    let error: unknown;
    try {
      (row.second ?? row.first)(builder.as("two"));
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(ClaimConflictError);
    expect(error).toMatchObject({ code: "CLAIM_CONFLICT", field: row.field, first: "one", second: "two" });
    expect(builder.result()).toEqual(before);
  });
});

describe("what the manifest brings", () => {
  test("an env of the manifest is replaced in its place by a claim", () => {
    const builder = new ContainerPlanBuilder({
      envs: [
        { key: "A", value: "1" },
        { key: "B", value: "2" },
      ],
    });
    const plan = builder.as("p");
    plan.setEnv("C", "3");
    plan.setEnv("A", "9");
    expect(builder.result().envs).toEqual([
      { key: "A", value: "9" },
      { key: "B", value: "2" },
      { key: "C", value: "3" },
    ]);
  });

  test("a mount at a path of the manifest is a conflict naming the pod's manifest", () => {
    const builder = new ContainerPlanBuilder({ mounts: [mount("/data")] });
    expect(() => builder.as("p").addMount(mount("/data/"))).toThrow(
      expect.objectContaining({ first: "the pod's manifest", second: "p" }),
    );
  });

  test("resources and annotations of the manifest have no owner until they are claimed", () => {
    const builder = new ContainerPlanBuilder({
      resources: { cpuShares: 2, memoryLimitInBytes: 100, unified: { "memory.low": "1" } },
      annotations: { "example.com/a": "manifest" },
    });
    builder.as("p").setResource("cpuShares", 1024);
    builder.as("p").setAnnotation("example.com/a", "plugin");
    builder.as("q").setUnified("memory.high", "50");
    expect(builder.result()).toMatchObject({
      resources: { cpuShares: 1024, memoryLimitInBytes: 100, unified: { "memory.low": "1", "memory.high": "50" } },
      annotations: { "example.com/a": "plugin" },
    });
    expect(() => builder.as("q").setResource("cpuShares", 1)).toThrow(ClaimConflictError);
  });

  test("a plan without a plugin is its base", () => {
    const base = {
      envs: [{ key: "A", value: "1" }],
      mounts: [mount("/data")],
      devices: [device("/dev/x")],
      annotations: { a: "b" },
      resources: { cpuShares: 2, hugepageLimits: [{ pageSize: "2MB", limit: 0 }] },
    };
    expect(new ContainerPlanBuilder(base).result()).toEqual({
      ...base,
      cdiDevices: [],
      afterStart: [],
      holdReady: false,
      holdStarted: false,
      set: new Map(),
    });
  });
});

test("the plan lists by plugin what each set of env, mounts and devices, without the values", () => {
  const builder = new ContainerPlanBuilder({ mounts: [mount("/data")] });
  builder.as("a").setEnv("TOKEN", "secret");
  builder.as("a").setEnv("TOKEN", "other");
  builder.as("b").addDevice(device("/dev/x"));
  builder.as("b").setUnified("memory.high", "1");
  builder.as("c").setResource("cpuShares", 2);
  builder.as("c").setAnnotation("a/b", "1");
  expect([...builder.result().set]).toEqual([
    ["a", ["env TOKEN"]],
    ["b", ["device /dev/x"]],
  ]);
});

test("afterStart calls keep their order and their plugin; holds are remembered", () => {
  const builder = new ContainerPlanBuilder();
  const [one, two] = [() => {}, () => {}];
  builder.as("a").afterStart(one);
  builder.as("b").afterStart(two);
  builder.as("b").holdReady();
  builder.as("b").holdStarted();
  expect(builder.result()).toMatchObject({
    afterStart: [
      { plugin: "a", run: one },
      { plugin: "b", run: two },
    ],
    holdReady: true,
    holdStarted: true,
  });
});

describe("what a plan refuses", () => {
  const cases: { name: string; set(plan: ContainerPlan): void; says: RegExp }[] = [
    { name: "an env name with =", set: (plan) => plan.setEnv("A=B", "x"), says: /without = and NUL/ },
    { name: "an env value with NUL", set: (plan) => plan.setEnv("A", "x\0y"), says: /env A: expected a text/ },
    { name: "an env value that is no text", set: (plan) => plan.setEnv("A", 1 as never), says: /found 1/ },
    {
      name: "an env that execve refuses",
      set: (plan) => plan.setEnv("A", "x".repeat(128 * 1024)),
      says: /131071 bytes with its name, found "131072 bytes"/,
    },
    { name: "no mount", set: (plan) => plan.addMount(undefined as never), says: /containerPath of a mount/ },
    { name: "a relative mount path", set: (plan) => plan.addMount(mount("data")), says: /an absolute path/ },
    {
      name: "a CDI device without a class",
      set: (plan) => plan.addCdiDevice("gpu0"),
      says: /vendor.example\/class=name/,
    },
    {
      name: "device permissions other than r, w, m",
      set: (plan) => plan.addDevice({ ...device("/dev/x"), permissions: "rwx" }),
      says: /any of r, w, m/,
    },
    {
      name: "device permissions said twice",
      set: (plan) => plan.addDevice({ ...device("/dev/x"), permissions: "rr" }),
      says: /any of r, w, m/,
    },
    {
      name: "a cgroup file outside the container's cgroup",
      set: (plan) => plan.setUnified("../memory.high", "1"),
      says: /Name of a cgroup file/,
    },
    {
      name: "an annotation by which the agent finds its containers",
      set: (plan) => plan.setAnnotation("io.kubernetes.container.hash", "1"),
      says: /the agent's own/,
    },
    {
      name: "an unknown resource",
      set: (plan) => plan.setResource("memory" as "cpuShares", 1),
      says: /cpuPeriod, cpuQuota/,
    },
    {
      name: "a fraction for a resource",
      set: (plan) => plan.setResource("cpuShares", 1.5),
      says: /a whole number, found 1.5/,
    },
  ];
  test.each(cases)("$name", ({ set, says }) => {
    const builder = new ContainerPlanBuilder();
    expect(() => set(builder.as("p"))).toThrow(says);
    expect(builder.result()).toEqual(new ContainerPlanBuilder().result());
  });
});
