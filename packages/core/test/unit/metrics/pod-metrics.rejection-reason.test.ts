import { expect, test } from "@jest/globals";
import { rejectionReason } from "../../../src/metrics/pod-metrics.js";

test.each([
  { name: "the kubelet's own stay", reason: "OutOfcpu", label: "OutOfcpu" },
  { name: "eviction's stays", reason: "Evicted", label: "Evicted" },
  { name: "all extended resources are one", reason: "OutOfvendor.example/gpu", label: "OutOfExtendedResources" },
  { name: "a plugin's own reason is one of many", reason: "MyPolicy-4711", label: "Other" },
])("$name", ({ reason, label }) => {
  expect(rejectionReason(reason)).toBe(label);
});
