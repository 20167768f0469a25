import { expect, test } from "@jest/globals";
import { OS_LABEL, withOsLabel } from "../../../../src/plugin/contract/node.js";
import { aNode } from "../../admission/pods.js";

test.each([
  { name: "is added where there is none", labels: { disk: "ssd" } },
  { name: "is set right where it is wrong", labels: { disk: "ssd", [OS_LABEL]: "windows" } },
])("the OS label of a node $name; the others stay", ({ labels }) => {
  const node = aNode({ labels });
  expect(withOsLabel(node)).toEqual({ ...node, labels: { disk: "ssd", [OS_LABEL]: "linux" } });
});

test("a node whose OS label is right comes back as it is", () => {
  const node = aNode({ labels: { [OS_LABEL]: "linux" } });
  expect(withOsLabel(node)).toBe(node);
});
