import { describe, expect, test } from "@jest/globals";
import { exitCodeOf } from "../../../src/stream/interactive-exec.js";

const failure = (parts: object) => JSON.stringify({ status: "Failure", message: "it failed", ...parts });
const ended = (message: string, reason = "ExitCode") => ({ details: { causes: [{ reason, message }] } });

describe("how a command ended", () => {
  test.each([
    { name: "well", text: JSON.stringify({ metadata: {}, status: "Success" }), code: 0 },
    { name: "with a code", text: failure({ reason: "NonZeroExitCode", ...ended("137") }), code: 137 },
    { name: "by a runtime's code below 0", text: failure({ reason: "NonZeroExitCode", ...ended("-1") }), code: -1 },
    {
      name: "with a code among other causes",
      text: failure({
        reason: "NonZeroExitCode",
        details: {
          causes: [
            { reason: "Other", message: "1" },
            { reason: "ExitCode", message: "2" },
          ],
        },
      }),
      code: 2,
    },
  ])("$name", ({ text, code }) => {
    expect(exitCodeOf(text)).toBe(code);
  });

  test.each([
    { name: "for another reason", parts: { reason: "InternalError", ...ended("137") } },
    { name: "with a cause that is no exit code", parts: { reason: "NonZeroExitCode", ...ended("1", "Other") } },
    { name: "with a code that is no number", parts: { reason: "NonZeroExitCode", ...ended("x") } },
    { name: "with an empty code", parts: { reason: "NonZeroExitCode", ...ended("") } },
    { name: "with a code and more", parts: { reason: "NonZeroExitCode", ...ended("1 ") } },
    { name: "with more and a code", parts: { reason: "NonZeroExitCode", ...ended("x1") } },
    { name: "with a code that is no whole number", parts: { reason: "NonZeroExitCode", ...ended("1.5") } },
    { name: "without causes", parts: { reason: "NonZeroExitCode", details: {} } },
    { name: "without details", parts: { reason: "NonZeroExitCode" } },
  ])("a command that failed $name could not be run, in the runtime's words", ({ parts }) => {
    expect(() => exitCodeOf(failure(parts))).toThrow(
      expect.objectContaining({ code: "unknown", message: "it failed" }),
    );
  });

  test.each([
    { name: "is missing", why: 'exec: "nosuch": executable file not found in $PATH' },
    { name: "may not be executed", why: 'exec: "/etc/passwd": permission denied' },
  ])("a program that $name is named in runc's words alone", ({ why }) => {
    const message = `error executing command in container: failed to exec in container: failed to start exec "08222d": OCI runtime exec failed: exec failed: unable to start container process: ${why}: unknown`;
    const text = JSON.stringify({
      metadata: {},
      status: "Failure",
      message: `Internal error occurred: ${message}`,
      reason: "InternalError",
      details: { causes: [{ message }] },
      code: 500,
    });
    expect(() => exitCodeOf(text)).toThrow(expect.objectContaining({ code: "unknown", message: why }));
  });

  test("a failure without words is shown whole", () => {
    const text = JSON.stringify({ status: "Failure" });
    expect(() => exitCodeOf(text)).toThrow(expect.objectContaining({ code: "unknown", message: text }));
  });

  test.each(["", "no json", "{}", "[]", "null"])("what is no status is reported: %j", (text) => {
    expect(() => exitCodeOf(text)).toThrow(
      expect.objectContaining({
        code: "unknown",
        message: `the runtime ended the command with ${JSON.stringify(text)}`,
      }),
    );
  });
});
