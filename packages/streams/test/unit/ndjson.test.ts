import { expect, test } from "@jest/globals";
import { decodeLines, encodeLine, parseOutput } from "../../src/ndjson.js";

async function decode(text: string, size: number, max = 1000): Promise<readonly unknown[]> {
  const bytes = Buffer.from(text);
  async function* pieces(): AsyncGenerator<Buffer> {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  }
  const values = [];
  for await (const value of decodeLines(pieces(), max)) values.push(value);
  return values;
}

test.each([1, 2, 3, 1000])(
  "values come back whole from pieces of %i bytes, also the last one without a newline",
  async (size) => {
    const values = [{ a: "ü\n" }, 1, null];
    const text = values.map(encodeLine).join("\n");
    expect(await decode(text, size)).toEqual(values);
    expect(await decode(text.trimEnd(), size)).toEqual(values);
  },
);

test("a line that is not JSON and one without an end are named by their number", async () => {
  await expect(decode("1\n{oops\n", 100)).rejects.toThrow("Line 2 of the stream is not JSON: {oops");
  await expect(decode(`1\n"${"x".repeat(2000)}`, 64)).rejects.toThrow(
    "Line 2 of the stream is longer than 1000 bytes.",
  );
  await expect(decode(`"${"x".repeat(2000)}"\n`, 4000)).rejects.toThrow(
    "Line 1 of the stream is longer than 1000 bytes.",
  );
});

test("frames carry bytes unchanged, and what is no frame is refused", () => {
  expect(parseOutput({ stdout: Buffer.from([0, 255]).toString("base64") })).toEqual({ stdout: Buffer.from([0, 255]) });
  for (const bad of [{ stdout: "not base64!" }, { other: 1 }, null]) expect(() => parseOutput(bad)).toThrow();
});
