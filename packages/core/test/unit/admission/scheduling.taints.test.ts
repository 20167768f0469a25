import { expect, test } from "@jest/globals";
import { tolerates, toleratesNode } from "../../../src/admission/scheduling.js";
import { aPod } from "./pods.js";

const taint = { key: "gpu", value: "yes", effect: "NoExecute" };

test.each([
  { name: "equal key, value and effect", toleration: { ...taint, operator: "Equal" }, expected: true },
  { name: "no operator means Equal", toleration: { key: "gpu", value: "yes" }, expected: true },
  { name: "another value", toleration: { key: "gpu", value: "no" }, expected: false },
  { name: "no value is not any value", toleration: { key: "gpu" }, expected: false },
  { name: "Exists asks for no value", toleration: { key: "gpu", operator: "Exists" }, expected: true },
  { name: "Exists without a key tolerates everything", toleration: { operator: "Exists" }, expected: true },
  { name: "another key", toleration: { key: "tpu", operator: "Exists" }, expected: false },
  { name: "another effect", toleration: { operator: "Exists", effect: "NoSchedule" }, expected: false },
  { name: "an unknown operator", toleration: { key: "gpu", operator: "Gt", value: "yes" }, expected: false },
])("toleration: $name", ({ toleration, expected }) => expect(tolerates(toleration, taint)).toBe(expected));

test("only NoExecute taints matter to the node", () => {
  expect(
    toleratesNode(aPod(), [
      { key: "a", effect: "NoSchedule" },
      { key: "b", effect: "PreferNoSchedule" },
    ]),
  ).toBe(true);
  expect(toleratesNode(aPod(), [taint])).toBe(false);
});

test("every taint needs a toleration", () => {
  const pod = aPod({ tolerations: [{ key: "gpu", operator: "Exists" }] });
  expect(toleratesNode(pod, [taint])).toBe(true);
  expect(toleratesNode(pod, [taint, { key: "tpu", effect: "NoExecute" }])).toBe(false);
});

test("static pods tolerate everything", () => {
  expect(toleratesNode(aPod({}, { annotations: { "kubernetes.io/config.source": "file" } }), [taint])).toBe(true);
});
