import { RuntimeError } from "@hooklet/core/host";
import { expect, test } from "@jest/globals";
import { CallError, Code, codeOf, fineWhenGone, plain, rethrow, withCode } from "../../src/call-errors.js";

const error = (code: number, details = "text") => new CallError("StopContainer", code, details);

test.each([
  ["NOT_FOUND", "not-found", "NotFound"],
  ["ALREADY_EXISTS", "already-exists", "AlreadyExists"],
  ["INVALID_ARGUMENT", "invalid-argument", "InvalidArgument"],
  ["DEADLINE_EXCEEDED", "deadline-exceeded", "DeadlineExceeded"],
  ["UNAVAILABLE", "unavailable", "Unavailable"],
  ["UNIMPLEMENTED", "unimplemented", "Unimplemented"],
  ["FAILED_PRECONDITION", "failed-precondition", "FailedPrecondition"],
  ["RESOURCE_EXHAUSTED", "resource-exhausted", "ResourceExhausted"],
  ["INTERNAL", "unknown", "Internal"],
  ["OK", "unknown", "OK"],
] as const)("gRPC's %s is %s, and %s in a text", (name, code, shown) => {
  const one = error(Code[name]);
  expect(codeOf(one)).toBe(code);
  expect(withCode(one)).toMatchObject({ code, message: `rpc error: code = ${shown} desc = text` });
  expect(plain(one)).toMatchObject({ code, message: "text" });
});

test("a code that gRPC does not have keeps its number", () => {
  expect(withCode(error(99))).toMatchObject({ message: "rpc error: code = Code(99) desc = text" });
});

test.each([
  ['name "a_b" is reserved for "123"', "already-exists"],
  ["server is not initialized yet", "unavailable"],
  ["error reading from server: EOF", "unavailable"],
  ["transport is closing", "unavailable"],
  ["the server", "unknown"],
])("where containerd has no code, its text says it: %s", (details, code) => {
  expect(codeOf(error(Code.UNKNOWN, details))).toBe(code);
});

test("other errors pass unchanged", () => {
  const other = new Error("a bug");
  expect(plain(other)).toBe(other);
  expect(withCode(other)).toBe(other);
  expect(() => rethrow(other)).toThrow(other);
  expect(() => rethrow(error(Code.INTERNAL))).toThrow(RuntimeError);
});

test("a stop or removal of what is gone is done; another failure is thrown", () => {
  expect(fineWhenGone(error(Code.NOT_FOUND))).toBeUndefined();
  expect(() => fineWhenGone(error(Code.INTERNAL))).toThrow("text");
  expect(() => fineWhenGone(new Error("a bug"))).toThrow("a bug");
});
