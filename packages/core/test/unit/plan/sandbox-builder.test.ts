import { describe, expect, test } from "@jest/globals";
import type { SandboxPlan } from "../../../src/plan/contract.js";
import { emptySandboxPlan, SandboxPlanBuilder } from "../../../src/plan/sandbox-builder.js";

const { signal } = new AbortController();
const pod = { metadata: { name: "web", namespace: "default", uid: "u1" }, spec: { containers: [] } };
const builder = (): SandboxPlanBuilder => new SandboxPlanBuilder({ pod, attempt: 3, exists: true });

test("an untouched plan is empty, and has pod, attempt and whether the sandbox exists", () => {
  expect(builder().result()).toEqual(emptySandboxPlan);
  expect(builder().as("p", signal)).toMatchObject({ pod, attempt: 3, exists: true, signal });
});

describe("one field has one owner", () => {
  const cases: { name: string; field: string; set(plan: SandboxPlan): void }[] = [
    { name: "the cgroup parent", field: "cgroup parent", set: (plan) => plan.setCgroupParent("/kubepods/a") },
    { name: "resources", field: "resources", set: (plan) => plan.setResources({ cpuShares: 2 }) },
    { name: "overhead", field: "overhead", set: (plan) => plan.setOverhead({ memoryLimitInBytes: 2 }) },
    { name: "the runtime handler", field: "runtime handler", set: (plan) => plan.setRuntimeHandler("gvisor") },
    { name: "an annotation", field: "annotation a/b", set: (plan) => plan.setAnnotation("a/b", "1") },
  ];

  test.each(cases)("$name: a second plugin gets an error naming both, the same plugin may set it again", (row) => {
    const plan = builder();
    row.set(plan.as("one", signal));
    row.set(plan.as("one", signal));
    const before = plan.result();
    expect(() => row.set(plan.as("two", signal))).toThrow(
      expect.objectContaining({ code: "CLAIM_CONFLICT", field: row.field, first: "one", second: "two" }),
    );
    expect(plan.result()).toEqual(before);
  });
});

describe("what it refuses", () => {
  const cases: { name: string; set(plan: SandboxPlan): void; says: RegExp }[] = [
    { name: "a relative cgroup", set: (plan) => plan.setCgroupParent("kubepods/a"), says: /absolute cgroupfs path/ },
    { name: "a cgroup that climbs", set: (plan) => plan.setCgroupParent("/kubepods/../x"), says: /without \.\./ },
    {
      name: "a resource of no name",
      set: (plan) => plan.setResources({ cpu: 1 } as never),
      says: /Name of a resource/,
    },
    { name: "resources that are none", set: (plan) => plan.setOverhead(null as never), says: /an object of resources/ },
    {
      name: "a runtime handler that is no text",
      set: (plan) => plan.setRuntimeHandler(5 as never),
      says: /runtime handler of a sandbox/,
    },
    { name: "half a share", set: (plan) => plan.setResources({ cpuShares: 0.5 }), says: /a whole number, found 0.5/ },
    { name: "the agent's annotations", set: (plan) => plan.setAnnotation("io.kubernetes.x", ""), says: /agent's own/ },
  ];

  test.each(cases)("$name", ({ set, says }) => {
    const plan = builder();
    expect(() => set(plan.as("p", signal))).toThrow(says);
    expect(plan.result()).toEqual(emptySandboxPlan);
  });
});

test("what is set is in the result, and nothing else", () => {
  const plan = builder();
  plan.as("p", signal).setRuntimeHandler("gvisor");
  expect(plan.result()).toStrictEqual({ ...emptySandboxPlan, runtimeHandler: "gvisor" });
  plan.as("p", signal).setOverhead({ cpuShares: 2 });
  plan.as("p", signal).setResources({ cpuShares: 4 });
  expect(plan.result()).toMatchObject({
    overhead: { cpuShares: 2 },
    resources: { cpuShares: 4 },
    runtimeHandler: "gvisor",
  });
});

test("paths are cleaned, and a systemd slice is taken as it is", () => {
  const plan = builder();
  plan.as("p", signal).setCgroupParent("/kubepods//a/");
  expect(plan.result().cgroupParent).toBe("/kubepods/a");
  plan.as("p", signal).setCgroupParent("kubepods-burstable-pod1.slice");
  expect(plan.result().cgroupParent).toBe("kubepods-burstable-pod1.slice");
});
