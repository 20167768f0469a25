import { expect, test } from "@jest/globals";
import { aPod } from "../../../core/test/unit/admission/pods.js";
import { isCriticalPod, isMirrorPod, isNodeCriticalPod, isPreemptable, systemPriorityOf } from "../../src/pod.js";

const mirror = aPod({}, { annotations: { "kubernetes.io/config.mirror": "" } });
const from = (source: string, spec = {}) => aPod(spec, { annotations: { "kubernetes.io/config.source": source } });

test.each([
  { name: "of a file", pod: from("file"), critical: true },
  { name: "of any source but the API", pod: from("something"), critical: true },
  { name: "of the API", pod: from("api"), critical: false },
  { name: "that mirrors a static one, whatever the annotation's value", pod: mirror, critical: true },
  { name: "of a system priority", pod: aPod({ priority: 2_000_000_000 }), critical: true },
  { name: "of the highest priority that a user may give", pod: aPod({ priority: 1_999_999_999 }), critical: false },
])("a pod $name is critical: $critical", ({ pod, critical }) => {
  expect(isCriticalPod(pod)).toBe(critical);
});

test("the class system-node-critical counts for critical pods only", () => {
  expect(isNodeCriticalPod(from("file", { priorityClassName: "system-node-critical" }))).toBe(true);
  expect(isNodeCriticalPod(from("api", { priorityClassName: "system-node-critical" }))).toBe(false);
});

test("a pod without priority and source is not critical, nor a mirror", () => {
  expect([isCriticalPod(aPod()), isMirrorPod(aPod()), isMirrorPod(from("api"))]).toEqual([false, false, false]);
  expect(isNodeCriticalPod(from("file", { priorityClassName: "system-cluster-critical" }))).toBe(false);
});

test.each([
  { name: "higher than lower", higher: 2, lower: 1, displaces: true },
  { name: "equals", higher: 1, lower: 1, displaces: false },
  { name: "lower than higher", higher: 1, lower: 2, displaces: false },
  { name: "below zero", higher: -1, lower: -2, displaces: true },
  { name: "one that has none", higher: 1, lower: undefined, displaces: false },
  { name: "by one that has none", higher: undefined, lower: -1, displaces: false },
  { name: "neither has one", higher: undefined, lower: undefined, displaces: false },
])("between two ordinary pods: $name", ({ higher, lower, displaces }) => {
  const pod = (priority: number | undefined) => aPod(priority === undefined ? {} : { priority });
  expect(isPreemptable(pod(higher), pod(lower))).toBe(displaces);
});

test("between two critical pods only a strictly greater priority displaces, and both must have one", () => {
  const fromFile = (priority?: number) => from("file", priority === undefined ? {} : { priority });
  expect(isPreemptable(fromFile(2), fromFile(1))).toBe(true);
  expect(isPreemptable(fromFile(1), fromFile(1))).toBe(false);
  expect(isPreemptable(fromFile(1), fromFile())).toBe(false);
});

test("a critical pod displaces one that is not, whatever the numbers", () => {
  expect(isPreemptable(from("file", { priority: 1 }), aPod({ priority: 1_000_000_000 }))).toBe(true);
});

test("an ordinary pod of a higher priority displaces even a critical one", () => {
  expect(isPreemptable(aPod({ priority: 5 }), from("file", { priority: 1 }))).toBe(true);
  expect(isPreemptable(aPod({ priority: 5 }), from("file"))).toBe(false);
});

test.each([
  { name: "system-node-critical", priority: 2_000_001_000 },
  { name: "system-cluster-critical", priority: 2_000_000_000 },
  { name: "gold", priority: undefined },
  { name: "", priority: undefined },
])("the class $name has priority $priority on every cluster", ({ name, priority }) => {
  expect(systemPriorityOf(name)).toBe(priority);
});
