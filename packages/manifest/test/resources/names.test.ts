import { expect, test } from "@jest/globals";
import { isExtendedResource, isPodLevelResource, isScalarResource } from "../../src/resources/names.js";

test.each([
  { resource: "vendor.example/gpu", extended: true, scalar: true },
  { resource: "a/b", extended: true, scalar: true },
  { resource: "cpu", extended: false, scalar: false },
  { resource: "ephemeral-storage", extended: false, scalar: false },
  { resource: "hugepages-2Mi", extended: false, scalar: true },
  { resource: "attachable-volumes-aws-ebs", extended: false, scalar: true },
  { resource: "kubernetes.io/thing", extended: false, scalar: true },
  { resource: "deviceclass.resource.kubernetes.io/gpu", extended: false, scalar: true },
  { resource: "requests.vendor.example/gpu", extended: false, scalar: false },
  { resource: "Vendor.example/gpu", extended: false, scalar: false },
  { resource: "vendor.example/gpu/0", extended: false, scalar: false },
  { resource: "vendor.example/", extended: false, scalar: false },
  { resource: "/gpu", extended: false, scalar: false },
  { resource: `${"a".repeat(245)}/gpu`, extended: false, scalar: false },
  { resource: `v/${"g".repeat(64)}`, extended: false, scalar: false },
])("$resource: extended $extended, accounted for as a scalar $scalar", ({ resource, extended, scalar }) => {
  expect(isExtendedResource(resource)).toBe(extended);
  expect(isScalarResource(resource)).toBe(scalar);
});

test("a pod as a whole may set cpu, memory and huge pages", () => {
  expect(["cpu", "memory", "hugepages-1Gi", "ephemeral-storage", "a/b"].filter(isPodLevelResource)).toEqual([
    "cpu",
    "memory",
    "hugepages-1Gi",
  ]);
});
