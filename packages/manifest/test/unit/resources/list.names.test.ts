import { expect, test } from "@jest/globals";
import {
  isExtendedResource,
  isLabelValue,
  isPodLevelResource,
  isQualifiedName,
  isScalarResource,
} from "../../../src/resources/list.js";

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
  { resource: `${"a".repeat(244)}/gpu`, extended: true, scalar: true },
  { resource: `v/${"g".repeat(63)}`, extended: true, scalar: true },
  { resource: "my.requests.vendor.example/gpu", extended: true, scalar: true },
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

test.each([
  { text: "name", is: true },
  { text: "example.com/Name_1.x-y", is: true },
  { text: "9", is: true },
  { text: "a".repeat(63), is: true },
  { text: "a".repeat(64), is: false },
  { text: `${"a".repeat(253)}/b`, is: true },
  { text: `${"a".repeat(254)}/b`, is: false },
  { text: "", is: false },
  { text: "/b", is: false },
  { text: "a/", is: false },
  { text: "a/b/c", is: false },
  { text: "Example.com/b", is: false },
  { text: "-a", is: false },
  { text: "a-", is: false },
  { text: "a b", is: false },
])("$text is the key of a label: $is", ({ text, is }) => expect(isQualifiedName(text)).toBe(is));

test.each([
  { text: "", is: true },
  { text: "v1.2_3-x", is: true },
  { text: "a".repeat(63), is: true },
  { text: "a".repeat(64), is: false },
  { text: "-", is: false },
  { text: "a/b", is: false },
])("'$text' is the value of a label: $is", ({ text, is }) => expect(isLabelValue(text)).toBe(is));
