import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { criParser } from "../../src/cri-parser.js";
import type { LogOptions } from "../../src/log-lines.js";

const T1 = "2016-10-06T00:17:09.669794202Z";
const T2 = "2016-10-06T00:17:10.113242941Z";

/** What both streams get from a file that arrives in pieces of `size` bytes. */
function parse(
  file: string,
  options: Partial<LogOptions> = {},
  size = file.length,
): { stdout: string; stderr: string } {
  const result = { stdout: "", stderr: "" };
  const parser = criParser({ timestamps: false, ...options }, (stream, data) => {
    result[stream] += data.toString("latin1");
  });
  const bytes = Buffer.from(file, "latin1");
  for (let at = 0; at < bytes.length; at += size) parser.write(bytes.subarray(at, at + size));
  return result;
}

test.each([
  { name: "a full line", file: `${T1} stdout F hello\n`, stdout: "hello\n", stderr: "" },
  { name: "a line of stderr", file: `${T1} stderr F oops\n`, stdout: "", stderr: "oops\n" },
  { name: "an empty line", file: `${T1} stdout F \n`, stdout: "\n", stderr: "" },
  { name: "parts are joined", file: `${T1} stdout P hel\n${T2} stdout F lo\n`, stdout: "hello\n", stderr: "" },
  {
    name: "parts of two streams are joined each for itself",
    file: `${T1} stdout P a\n${T1} stderr P x\n${T2} stdout F b\n${T2} stderr F y\n`,
    stdout: "ab\n",
    stderr: "xy\n",
  },
  { name: "a part at the end of the file is shown", file: `${T1} stdout P hel\n`, stdout: "hel", stderr: "" },
  { name: "a line that is still being written is shown so far", file: `${T1} stdout F hel`, stdout: "hel", stderr: "" },
  { name: "blanks of the content stay", file: `${T1} stdout F  a  b \n`, stdout: " a  b \n", stderr: "" },
  { name: "a tag with more words", file: `${T1} stdout F:more hi\n`, stdout: "hi\n", stderr: "" },
  {
    name: "a foreign line is handed on as it is",
    file: `not cri\n${T1} stdout F a\n`,
    stdout: "not cri\na\n",
    stderr: "",
  },
])("$name", ({ file, stdout, stderr }) => {
  expect(parse(file)).toEqual({ stdout, stderr });
});

test("with timestamps a joined line has the time of its first part", () => {
  const file = `${T1} stdout P hel\n${T2} stdout F lo\n${T2} stdout F next\n`;
  expect(parse(file, { timestamps: true }).stdout).toBe(`${T1} hello\n${T2} next\n`);
});

test("since leaves out older lines, with all their parts", () => {
  const file = `${T1} stdout P old\n${T2} stdout F still old\n${T2} stdout F new\n`;
  expect(parse(file, { since: Date.parse(T2) }).stdout).toBe("new\n");
});

test("how the bytes are cut into pieces changes nothing", () => {
  const line = fc.record({
    stream: fc.constantFrom("stdout", "stderr"),
    tag: fc.constantFrom("P", "F"),
    content: fc.string({ unit: fc.constantFrom("a", " ", "P", "\t"), maxLength: 300 }),
  });
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 8 }),
      fc.integer({ min: 1, max: 200 }),
      fc.boolean(),
      (lines, size, timestamps) => {
        const file = lines.map(({ stream, tag, content }) => `${T1} ${stream} ${tag} ${content}\n`).join("");
        expect(parse(file, { timestamps }, size)).toEqual(parse(file, { timestamps }));
      },
    ),
  );
});

test("a new file begins a new line, and a partial line of the old one continues", () => {
  const said: string[] = [];
  const parser = criParser({ timestamps: true }, (stream, data) => said.push(`${stream} ${data}`));
  parser.write(Buffer.from(`${T1} stdout P hel\n${T1} stdout`));
  parser.newFile();
  parser.write(Buffer.from(`${T2} stdout F lo\n`));
  expect(said).toEqual([`stdout ${T1} `, "stdout hel", "stdout lo\n"]);
});

test.each([
  ["that begins with a blank", ` ${T1} stdout F a`],
  ["of another stream", `${T1} stdlog F a`],
  ["with another tag", `${T1} stdout X a`],
  ["whose time is none", `yesterday stdout F a`],
  ["without a blank behind its tag", `${T1} stdout F`],
])("a line %s is no CRI line", (_, line) => {
  expect(parse(`${line}\n`, { timestamps: true })).toEqual({ stdout: `${line}\n`, stderr: "" });
});

test("a line whose head does not come within 128 bytes is handed on before it ends", () => {
  expect(parse("x".repeat(128)).stdout).toBe("x".repeat(128));
  expect(parse("x".repeat(127)).stdout).toBe("");
  expect(parse("x".repeat(300), {}, 7).stdout).toBe("x".repeat(300));
});

test("nothing is handed on that has nothing in it", () => {
  const said: string[] = [];
  const parser = criParser({ timestamps: false }, (stream, data) => said.push(`${stream} ${data.length}`));
  parser.write(Buffer.from(`${T1} stdout P \n${T1} stdout F \n`));
  expect(said).toEqual(["stdout 1"]);
});
