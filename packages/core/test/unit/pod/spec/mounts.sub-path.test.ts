import { expect, test } from "@jest/globals";
import { subPathOf } from "../../../../src/pod/spec/mounts.js";

const env = new Map([
  ["POD", "web-1"],
  ["EMPTY", ""],
  ["UP", "../etc"],
  ["ROOT", "/etc"],
]);
const mount = (fields: object) => ({ name: "v", mountPath: "/v", ...fields });

test.each([
  { name: "none is the whole volume", fields: {}, expected: "" },
  { name: "a plain one is taken as it is", fields: { subPath: "a/$(POD)" }, expected: "a/$(POD)" },
  {
    name: "an expression is expanded with the container's environment",
    fields: { subPathExpr: "l/$(POD)" },
    expected: "l/web-1",
  },
  { name: "an expression that comes out empty is the whole volume", fields: { subPathExpr: "$(EMPTY)" }, expected: "" },
])("$name", ({ fields, expected }) => {
  expect(subPathOf(mount(fields), env)).toBe(expected);
});

test.each([
  { name: "a variable that is not there", expr: "$(NO)/$(POD)/$(NEVER)", message: "missing value for NO, NEVER" },
  {
    name: "a value that leads up",
    expr: "a/$(UP)",
    message: "unable to provision SubPath `a/../etc`: must not contain '..'",
  },
  { name: "an absolute value", expr: "$(ROOT)", message: "error SubPath `/etc` must not be an absolute path" },
])("$name keeps the container from being created", ({ expr, message }) => {
  expect(() => subPathOf(mount({ subPathExpr: expr }), env)).toThrow(message);
});
