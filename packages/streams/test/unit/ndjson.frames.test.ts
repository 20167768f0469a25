import { expect, test } from "@jest/globals";
import { bytesFrame, parseOutput, positionFrame } from "../../src/ndjson.js";

test("bytes go as base64 and come back", () => {
  const data = Buffer.from([0, 255, 10]);
  expect(bytesFrame("stdout", data)).toEqual({ stdout: "AP8K" });
  expect(parseOutput(bytesFrame("stdout", data))).toEqual({ stdout: data });
  expect(parseOutput(bytesFrame("stderr", Buffer.from("a")))).toEqual({ stderr: Buffer.from("a") });
  expect(parseOutput({ stdout: "" })).toEqual({ stdout: Buffer.alloc(0) });
});

test("the last frame is an error, or where to go on", () => {
  expect(parseOutput({ error: "why", code: "INVALID" })).toEqual({ error: "why", code: "INVALID" });
  expect(positionFrame({ inode: 7, offset: 9 })).toEqual({ from: "7:9" });
  expect(parseOutput({ from: "7:9" })).toEqual({ from: "7:9" });
});

test.each([
  null,
  1,
  {},
  { stdout: 1 },
  { stdout: "a b" },
  { stderr: "===" },
  { stdout: "!YQ==" },
  { error: "why" },
  { code: "a" },
  { from: 1 },
])("%j is no frame", (value) => {
  expect(() => parseOutput(value)).toThrow(/^line of a log: expected stdout, stderr, error or from, found /);
});
