import { isCriticalPod, podRequest, podRequests, qosClass } from "@hooklet/manifest";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { accountOf } from "../../../src/admission/account.js";
import { hostPorts } from "../../../src/admission/host-ports.js";
import { HOLDS_ANNOTATION, holdsSpec, holdsText } from "../../../src/pod/holds.js";
import { aContainer, aPod } from "../../pod/pods.js";

const amounts = fc.dictionary(
  fc.constantFrom("cpu", "memory", "ephemeral-storage", "vendor.example/gpu", "hugepages-2Mi"),
  fc.constantFrom("1", "250m", "3", "64Mi", "2Gi"),
);
const container = fc.record({
  resources: fc.record({ requests: amounts, limits: amounts }),
  ports: fc.array(fc.record({ containerPort: fc.nat(65_535), hostPort: fc.nat(65_535) }), { maxLength: 3 }),
  sidecar: fc.boolean(),
});
const pods = fc
  .record({
    init: fc.array(container, { maxLength: 2 }),
    main: fc.array(container, { minLength: 1, maxLength: 3 }),
    priority: fc.option(fc.integer({ min: -10, max: 2_000_000_010 }), { nil: undefined }),
    overhead: fc.option(amounts, { nil: undefined }),
  })
  .map(({ init, main, priority, overhead }) => {
    const pod = aPod();
    const made = (kind: string) => (one: (typeof main)[number], at: number) =>
      aContainer(`${kind}-${at}`, {
        resources: one.resources,
        ports: one.ports,
        ...(kind === "init" && one.sidecar ? { restartPolicy: "Always" } : {}),
      });
    const spec = {
      ...pod.spec,
      initContainers: init.map(made("init")),
      containers: main.map(made("main")),
      ...(priority === undefined ? {} : { priority }),
      ...(overhead === undefined ? {} : { overhead }),
    };
    return { ...pod, spec };
  });

test("what was noted counts in admission, preemption and QoS as the pod itself", () => {
  fc.assert(
    fc.property(pods, (pod) => {
      const spec = holdsSpec(holdsText(pod));
      if (spec === undefined) throw new Error("nothing was noted");
      const read = { ...pod, spec };
      expect(podRequests(read)).toEqual(podRequests(pod));
      expect(podRequest(read, "memory")).toBe(podRequest(pod, "memory"));
      expect(hostPorts(read)).toEqual(hostPorts(pod));
      expect(qosClass({ ...read, status: {} })).toBe(qosClass({ ...pod, status: {} }));
      expect(isCriticalPod(read)).toBe(isCriticalPod(pod));
      expect(() => accountOf([read])).not.toThrow();
    }),
  );
});

test.each([
  ["nothing", undefined],
  ["no JSON", "{"],
  ["another version", JSON.stringify({ version: 2, containers: [] })],
  ["no containers", JSON.stringify({ version: 1 })],
  [
    "what is no quantity",
    JSON.stringify({ version: 1, containers: [{ name: "a", resources: { requests: { cpu: "x" } } }] }),
  ],
  [
    "a port that is none",
    JSON.stringify({ version: 1, containers: [{ name: "a", ports: [{ containerPort: 1, hostPort: -1 }] }] }),
  ],
  ["more than the limit", JSON.stringify({ version: 1, containers: [], fill: "x".repeat(65_536) })],
])("%s is read as nothing", (_, text) => {
  expect(holdsSpec(text)).toBeUndefined();
});

test("a pod with too many containers for the annotation is not saved", () => {
  const pod = aPod();
  const containers = Array.from({ length: 5_000 }, (__, at) => aContainer(`container-${at}`));
  expect(holdsText({ spec: { ...pod.spec, containers } })).toBeUndefined();
});

test("neither commands nor environment are noted", () => {
  const env = [{ name: "PASSWORD", value: "secret" }];
  const text = holdsText(aPod({ containers: [aContainer("main", { env, command: ["run"] })] }));
  expect(text).toBe(JSON.stringify({ version: 1, containers: [{ name: "main" }] }));
  expect(HOLDS_ANNOTATION).toBe("hooklet.dev/holds");
});

test("all that admission and preemption read is saved, unchanged", () => {
  const resources = { requests: { cpu: "1" }, limits: { memory: "1Gi" } };
  const spec = {
    priority: 7,
    priorityClassName: "gold",
    overhead: { cpu: "50m" },
    resources: { requests: { cpu: "2" } },
    initContainers: [{ name: "first", restartPolicy: "Always", resources: { limits: { cpu: "1" } } }],
    containers: [
      { name: "main", resources, ports: [{ containerPort: 53, hostPort: 53, hostIP: "127.0.0.1", protocol: "UDP" }] },
      { name: "side", ports: [{ containerPort: 80, hostPort: 8080 }] },
    ],
  };
  expect(holdsSpec(holdsText({ spec: spec as never }))).toEqual(spec);
});

test("container ports, and empty resources, are not saved", () => {
  const ports = [{ containerPort: 80 }, { containerPort: 81, hostPort: 0 }];
  const containers = [{ name: "main", image: "x", ports, resources: {} }];
  expect(holdsText({ spec: { containers } })).toBe('{"version":1,"containers":[{"name":"main"}]}');
});

test("amounts that YAML read as numbers are noted as texts", () => {
  const containers = [{ name: "main", resources: { requests: { cpu: 1 } } }];
  expect(holdsText({ spec: { containers } as never })).toContain('{"requests":{"cpu":"1"}}');
});

test("a pod that just fits is saved and read", () => {
  const named = (length: number) => ({ spec: { containers: [], priorityClassName: "x".repeat(length) } as never });
  const rest = (holdsText(named(1))?.length ?? 0) - 1;
  expect(holdsText(named(65_536 - rest))).toHaveLength(65_536);
  expect(holdsText(named(65_537 - rest))).toBeUndefined();
  const read = JSON.stringify({ version: 1, containers: [] });
  expect(holdsSpec(read.padEnd(65_536))).toEqual({ containers: [] });
  expect(holdsSpec(read.padEnd(65_537))).toBeUndefined();
});
