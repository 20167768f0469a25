import { expect, test } from "@jest/globals";
import { amount, resourceNames, roundAmount, roundBytes } from "../../../src/print/amounts.js";

const MIB = 1024 ** 2;

test.each([
  ["memory", 1, "1"],
  ["memory", 1024, "1Ki"],
  ["memory", 1025, "1025"],
  ["memory", MIB, "1Mi"],
  ["memory", 1024 ** 3, "1Gi"],
  ["memory", 1024 ** 4, "1Ti"],
  ["memory", 1024 ** 5, "1Pi"],
  ["memory", 1024 ** 6, "1024Pi"],
  ["ephemeral-storage", 2048, "2Ki"],
  ["hugepages-2Mi", 2 * MIB, "2Mi"],
  ["pods", 1024, "1024"],
  ["cpu", 0, "0"],
  ["cpu", 1, "1m"],
])("%s %d is shown as %s", (resource, value, text) => expect(amount(resource, value)).toBe(text));

test.each([
  ["memory", MIB - 1, "1048575"],
  ["memory", MIB, "1Mi"],
  ["memory", MIB + 1, "1Mi"],
  ["memory", 3 * MIB - 1, "2Mi"],
  ["cpu", MIB + 1, "1048577m"],
  ["pods", MIB + 1, "1048577"],
])("in short, %s %d is %s", (resource, value, text) => expect(roundAmount(resource, value)).toBe(text));

test.each([
  [999, "999B"],
  [1000, "1kB"],
  [999_499, "999kB"],
  [999_500, "1MB"],
  [1e9, "1GB"],
  [1e12, "1TB"],
  [1e15, "1PB"],
])("%d bytes are about %s", (bytes, text) => expect(roundBytes(bytes)).toBe(text));

test("names of resources: Kubernetes' own first, then the others by name, each once", () => {
  expect(
    resourceNames({ "b/x": 1, pods: 1, memory: 1 }, { "a/x": 1, memory: 1, cpu: 1, "ephemeral-storage": 1 }),
  ).toEqual([...["cpu", "ephemeral-storage", "memory", "pods", "a/x", "b/x"]]);
});
