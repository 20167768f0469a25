import { expect, test } from "@jest/globals";
import { aPod } from "../../core/test/admission/pods.js";
import { isCriticalPod, isNodeCriticalPod, isPreemptable, isStaticPod, podSource } from "../src/critical.js";

const from = (source: string, spec = {}) => aPod(spec, { annotations: { "kubernetes.io/config.source": source } });

test("a pod of any source but the API is static, hence critical", () => {
  for (const source of ["file", "http", "something"]) {
    expect([isStaticPod(from(source)), isCriticalPod(from(source))]).toEqual([true, true]);
  }
  expect([isStaticPod(from("api")), isCriticalPod(from("api"))]).toEqual([false, false]);
  expect(isStaticPod(aPod())).toBe(false);
});

test("a mirror annotation makes critical whatever its value", () => {
  expect(isCriticalPod(aPod({}, { annotations: { "kubernetes.io/config.mirror": "" } }))).toBe(true);
});

test("system priority makes critical, one below it does not", () => {
  expect(isCriticalPod(aPod({ priority: 2_000_000_000 }))).toBe(true);
  expect(isCriticalPod(aPod({ priority: 1_999_999_999 }))).toBe(false);
});

test("the class system-node-critical counts for critical pods only", () => {
  expect(isNodeCriticalPod(from("file", { priorityClassName: "system-node-critical" }))).toBe(true);
  expect(isNodeCriticalPod(from("api", { priorityClassName: "system-node-critical" }))).toBe(false);
});

test("between two critical pods only a strictly greater priority displaces, and both must have one", () => {
  expect(isPreemptable(from("file", { priority: 2 }), from("file", { priority: 1 }))).toBe(true);
  expect(isPreemptable(from("file", { priority: 1 }), from("file", { priority: 1 }))).toBe(false);
  expect(isPreemptable(from("file", { priority: 1 }), from("file"))).toBe(false);
});

test("a critical pod displaces one that is not, whatever the numbers", () => {
  expect(isPreemptable(from("file", { priority: 1 }), aPod({ priority: 1_000_000_000 }))).toBe(true);
});

test("a pod that no source marked has no source", () => {
  expect(podSource(from("http"))).toBe("http");
  expect(() => podSource(aPod({}, { uid: "u1" }))).toThrow('cannot get source of pod "u1"');
});
