import { expect, test } from "@jest/globals";
import { aPod } from "../../../../server/test/samples.js";
import { parseGoal } from "../../../src/commands/wait.js";

const conditions = [
  { type: "Ready", status: "True" },
  { type: "Initialized", status: "False" },
];
const pod = aPod("web", { status: { conditions }, spec: { containers: [{ name: "a" }, { name: "b" }], hostname: "" } });

test.each([
  ["delete", false, true],
  ["create", true, false],
  ["condition=Ready", true, false],
  ["condition=ready=true", true, false],
  ["condition=Ready=False", false, false],
  ["condition=Initialized", false, false],
  ["condition=Initialized=false", true, false],
  ["condition=Gone", false, false],
  ["jsonpath={.status.phase}=Running", true, false],
  ["jsonpath='{.status.phase}'=Running", true, false],
  ["jsonpath={ .status.phase }=Failed", false, false],
  ["jsonpath={.status.phase}", true, false],
  ["jsonpath={.status.gone}", false, false],
  ["jsonpath={.kind}=Pod", true, false],
  ["jsonpath={.spec.hostname}=", true, false],
  ["jsonpath={.spec.containers[*].name}", true, false],
  ["jsonpath={.spec.containers[*].name}=a", false, false],
])("--for %s: of this pod %s, without it %s", (text, ofPod, without) => {
  const goal = parseGoal(text);
  expect([goal.holds(pod), goal.holds(undefined)]).toEqual([ofPod, without]);
});

test.each([
  ["delete", { done: "deleted", withoutPod: true }],
  ["create", { done: "created", withoutPod: true }],
  ["condition=Ready=x", { done: "condition met", withoutPod: false, condition: "Ready" }],
  ["jsonpath={.a}", { done: "condition met", withoutPod: false }],
])("--for %s", (text, expected) => expect(parseGoal(text)).toEqual({ ...expected, holds: expect.any(Function) }));

test.each([
  ["Ready", "create, delete, condition=NAME[=STATUS] or jsonpath={PATH}[=VALUE]"],
  ["condition=", "create, delete, condition=NAME[=STATUS] or jsonpath={PATH}[=VALUE]"],
  ["xdelete", "create, delete, condition=NAME[=STATUS] or jsonpath={PATH}[=VALUE]"],
  ["jsonpath=.a", "create, delete, condition=NAME[=STATUS] or jsonpath={PATH}[=VALUE]"],
  ["jsonpath={.a[}", "a ] for each ["],
])("--for %s is refused: %s", (text, expected) => {
  expect(() => parseGoal(text)).toThrow(`--for: expected ${expected}, found "${text}"`);
});
