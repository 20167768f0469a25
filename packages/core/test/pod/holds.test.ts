import { isCriticalPod, podRequest, podRequests, qosClass } from "@hooklet/manifest";
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { accountOf } from "../../src/admission/account.js";
import { hostPorts } from "../../src/admission/host-ports.js";
import { HOLDS_ANNOTATION, holdsSpec, holdsText } from "../../src/pod/holds.js";
import { aContainer, aPod } from "./pods.js";

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

test("a pod of more containers than there is room for is not noted", () => {
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
