import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { aContainer, aPod, asking } from "../../../../core/test/unit/admission/pods.js";
import type { Pod } from "../../../src/pod.js";
import { podLimits, podRequest, podRequests } from "../../../src/resources/pod-requests.js";

const main = (cpu: string) => aContainer({ cpu });
const sidecar = (cpu: string) => aContainer({ cpu }, { restartPolicy: "Always" });
const withPodLevel = (resources: object, spec: Partial<Pod["spec"]>) => aPod({ ...spec, resources } as Pod["spec"]);

describe("podRequests", () => {
  test.each([
    { name: "main containers run together", containers: ["1", "2"], init: [], cpu: 3000 },
    { name: "an init container runs alone", containers: ["1"], init: [main("4")], cpu: 4000 },
    { name: "init containers run one after the other", containers: ["1"], init: [main("2"), main("3")], cpu: 3000 },
    { name: "a sidecar runs beside the main ones", containers: ["1"], init: [sidecar("2")], cpu: 3000 },
    {
      name: "an init container runs beside earlier sidecars",
      containers: ["1"],
      init: [sidecar("2"), main("4")],
      cpu: 6000,
    },
    { name: "and not beside later ones", containers: ["1"], init: [main("4"), sidecar("2")], cpu: 4000 },
    { name: "fractions are summed before rounding up", containers: ["100500u", "100500u"], init: [], cpu: 201 },
  ])("$name", ({ containers, init, cpu }) => {
    const pod = aPod({ containers: containers.map(main), initContainers: init });
    expect(podRequests(pod)).toEqual({ cpu });
    expect(podRequest(pod, "cpu")).toBe(cpu);
  });

  test("bytes and counts are whole numbers, cpu is in milli-cores", () => {
    expect(
      podRequests(asking({ cpu: "0.5", memory: "1Ki", "vendor.example/gpu": "2", "hugepages-2Mi": "4Mi" })),
    ).toEqual({
      cpu: 500,
      memory: 1024,
      "vendor.example/gpu": 2,
      "hugepages-2Mi": 4194304,
    });
  });

  test("overhead counts for the fit even on top of nothing, for preemption only on top of something", () => {
    const idle = aPod({ containers: [aContainer({})], overhead: { cpu: "50m" } });
    expect([podRequests(idle).cpu, podRequest(idle, "cpu")]).toEqual([50, 0]);
    const busy = aPod({ containers: [aContainer({ cpu: "1" })], overhead: { cpu: "50m" } });
    expect([podRequests(busy).cpu, podRequest(busy, "cpu")]).toEqual([1050, 1050]);
  });

  test("pod-level values replace those of containers, per resource for the fit, as a whole for preemption", () => {
    const pod = withPodLevel(
      { requests: { cpu: "2" } },
      { containers: [aContainer({ cpu: "1", memory: "1Gi", "vendor.example/gpu": "1" })] },
    );
    expect(podRequests(pod)).toEqual({ cpu: 2000, memory: 2 ** 30, "vendor.example/gpu": 1 });
    expect([podRequest(pod, "cpu"), podRequest(pod, "memory"), podRequest(pod, "vendor.example/gpu")]).toEqual([
      2000, 0, 0,
    ]);
  });

  test("pod-level values of other resources, and all of them with the gate off, are ignored", () => {
    const other = withPodLevel({ requests: { "vendor.example/gpu": "7" } }, { containers: [aContainer({ cpu: "1" })] });
    expect(podRequests(other)).toEqual({ cpu: 1000 });
    const off = withPodLevel({ requests: { cpu: "2" } }, { containers: [aContainer({ cpu: "1" })] });
    expect(podRequests(off, { podLevelResources: false })).toEqual({ cpu: 1000 });
    expect(podRequest(off, "cpu", { podLevelResources: false })).toBe(1000);
  });

  test("every pod counts as one of `pods`", () => expect(podRequest(aPod(), "pods")).toBe(1));

  test("a malformed quantity is named", () => {
    expect(() => podRequests(asking({ cpu: "1 core" }))).toThrow('cpu: "1 core" is no quantity');
  });

  test("for any pod: not less than any container needs, and no more than all of them together", () => {
    const cpu = fc.nat({ max: 5000 }).map((milli) => `${milli}m`);
    const inits = fc.array(fc.oneof(cpu.map(main), cpu.map(sidecar)), { maxLength: 5 });
    fc.assert(
      fc.property(fc.array(cpu.map(main), { minLength: 1, maxLength: 5 }), inits, (containers, initContainers) => {
        const total = podRequests(aPod({ containers, initContainers })).cpu ?? 0;
        const each = [...containers, ...initContainers].map((one) =>
          Number.parseInt(one.resources?.requests?.cpu ?? "", 10),
        );
        expect(total).toBeGreaterThanOrEqual(Math.max(...each));
        expect(total).toBeLessThanOrEqual(each.reduce((sum, one) => sum + one, 0));
      }),
    );
  });
});

describe("podLimits", () => {
  const limited = (limits: Record<string, string>) => aContainer({}, { limits });

  test("overhead comes on top of limits that are set only", () => {
    const pod = aPod({ containers: [limited({ cpu: "1", memory: "0" })], overhead: { cpu: "50m", memory: "1Ki" } });
    expect(podLimits(pod)).toEqual({ cpu: 1050, memory: 0 });
  });

  test("pod-level limits replace the containers'", () => {
    const pod = withPodLevel({ limits: { cpu: "3" } }, { containers: [limited({ cpu: "1", memory: "1Ki" })] });
    expect(podLimits(pod)).toEqual({ cpu: 3000, memory: 1024 });
  });
});

describe("the gate PodLevelResources", () => {
  const pod = withPodLevel(
    { requests: { cpu: "2" }, limits: { cpu: "3" } },
    { containers: [aContainer({ cpu: "1" })] },
  );

  test("asked both ways of one pod gives each its own answer, in any order", () => {
    const off = { podLevelResources: false };
    const fit = [undefined, off, {}, off, { podLevelResources: true }].map((gate) => podRequests(pod, gate).cpu);
    expect(fit).toEqual([2000, 1000, 2000, 1000, 2000]);
    const cost = [undefined, off, {}, off].map((gate) => podRequest(pod, "cpu", gate));
    expect(cost).toEqual([2000, 1000, 2000, 1000]);
    expect([podLimits(pod, off).cpu, podLimits(pod).cpu]).toEqual([undefined, 3000]);
  });

  test("the same pod is added up once", () => {
    expect(podRequests(pod)).toBe(podRequests({ ...pod }));
    expect(podRequest({ ...pod }, "memory")).toBe(0);
  });
});

test("overhead does not count for preemption on top of an amount of zero", () => {
  const idle = aPod({ containers: [aContainer({ cpu: "0" })], overhead: { cpu: "50m" } });
  expect(podRequest(idle, "cpu")).toBe(0);
  expect(podRequest(idle, "cpu", { podLevelResources: false })).toBe(0);
});

test("pod-level values count as soon as one of them is of cpu, memory or huge pages, requests or limits", () => {
  const mixed = { requests: { "vendor.example/gpu": "7" }, limits: { memory: "1Gi" } };
  const containers = [aContainer({ cpu: "1", "vendor.example/gpu": "1" })];
  expect(podRequest(withPodLevel(mixed, { containers }), "cpu")).toBe(0);
  expect(podRequest(withPodLevel({ requests: { "vendor.example/gpu": "7" } }, { containers }), "cpu")).toBe(1000);
  expect(podRequests(withPodLevel(mixed, { containers }))).toEqual({ cpu: 1000, "vendor.example/gpu": 1 });
});
