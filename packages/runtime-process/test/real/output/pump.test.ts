import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { OutputPump, type PumpFiles } from "../../../src/output/pump.js";
import { contentOf } from "../../log-content.js";

let folder: string;
let files: PumpFiles;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hooklet-pump-"));
  const logs = join(folder, "pod", "main");
  mkdirSync(logs, { recursive: true });
  files = { output: join(folder, "output"), position: join(folder, "position"), log: join(logs, "0.log") };
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const log = (): string => contentOf(readFileSync(files.log, "utf8"));

describe("OutputPump", () => {
  test.each([
    ["a FIFO", () => void execFileSync("mkfifo", [files.position])],
    ["a directory", () => mkdirSync(files.position)],
  ])("%s in place of the position blocks nothing: it is written again", async (_name, damage) => {
    damage();
    writeFileSync(files.output, "one\n");
    await new OutputPump(files, undefined).take();
    expect(log()).toBe("one\n");
    expect(statSync(files.position).isFile()).toBe(true);
  });

  test.each([
    ["a FIFO", () => void execFileSync("mkfifo", [files.output])],
    ["a directory", () => mkdirSync(files.output)],
    ["a link to a device without end", () => symlinkSync("/dev/zero", files.output)],
  ])("of %s in place of the output there is nothing to take, and the end comes", async (_name, damage) => {
    damage();
    const pump = new OutputPump(files, undefined);
    await expect(pump.take()).resolves.toBe(false);
    await pump.finish();
    expect(existsSync(files.log)).toBe(false);
  });

  test("output is in the log once, however often it is read", async () => {
    const pump = new OutputPump(files, undefined);
    appendFileSync(files.output, "one\ntwo\nth");
    await Promise.all([pump.take(), pump.take()]);
    expect(log()).toBe("one\ntwo\n");
    appendFileSync(files.output, "ree\n");
    await pump.take();
    expect(log()).toBe("one\ntwo\nthree\n");
  });

  test("the end takes a line without an end, and the output goes", async () => {
    const pump = new OutputPump(files, undefined);
    appendFileSync(files.output, "last words");
    await pump.take();
    expect(log()).toBe("");
    await pump.finish();
    expect(log()).toBe("last words");
    expect(existsSync(files.output)).toBe(false);
    await pump.finish();
  });

  test("the next agent continues where the last one was, and removes what that one had not noted", async () => {
    appendFileSync(files.output, "one\n");
    await new OutputPump(files, undefined).take();
    const noted = readFileSync(files.position);
    appendFileSync(files.output, "two\n");
    await new OutputPump(files, undefined).take();
    writeFileSync(files.position, noted);
    await new OutputPump(files, undefined).take();
    expect(log()).toBe("one\ntwo\n");
  });

  test("what an agent had not noted leaves the rotated log too, where it died between a rotation and its note", async () => {
    const rotated = `${files.log}.20260101-000000`;
    appendFileSync(files.output, "one\n");
    await new OutputPump(files, undefined).take();
    const noted = readFileSync(files.position);
    appendFileSync(files.output, "two\n");
    await new OutputPump(files, undefined).take();
    writeFileSync(files.position, noted);
    renameSync(files.log, rotated);
    await new OutputPump(files, undefined).take();
    expect([contentOf(readFileSync(rotated, "utf8")), log()]).toEqual(["one\n", "two\n"]);
  });

  test("after a rotation the log continues in a new file, and the old one stays as it is", async () => {
    const pump = new OutputPump(files, undefined);
    appendFileSync(files.output, "old\n");
    await pump.take();
    renameSync(files.log, `${files.log}.20260101-000000`);
    await pump.reopen();
    expect(log()).toBe("");
    appendFileSync(files.output, "new\n");
    await pump.take();
    expect(log()).toBe("new\n");
    expect(contentOf(readFileSync(`${files.log}.20260101-000000`, "utf8"))).toBe("old\n");
  });

  test("a damaged note of the place costs nothing: output is there twice rather than not at all", async () => {
    appendFileSync(files.output, "one\n");
    await new OutputPump(files, undefined).take();
    writeFileSync(files.position, "rubbish");
    await new OutputPump(files, undefined).take();
    expect(log()).toBe("one\none\n");
  });

  test("a program that cuts its output off is read from the start again", async () => {
    const pump = new OutputPump(files, undefined);
    appendFileSync(files.output, "before\n");
    await pump.take();
    truncateSync(files.output);
    appendFileSync(files.output, "new\n");
    await pump.take();
    expect(log()).toBe("before\nnew\n");
  });

  test("a log replaced by a link is not followed, and nothing is lost once it is gone", async () => {
    const pump = new OutputPump(files, undefined);
    writeFileSync(join(folder, "victim"), "");
    symlinkSync(join(folder, "victim"), files.log);
    appendFileSync(files.output, "one\n");
    await expect(pump.take()).rejects.toThrow("ELOOP");
    expect(readFileSync(join(folder, "victim"), "utf8")).toBe("");
    rmSync(files.log);
    await pump.take();
    expect(log()).toBe("one\n");
  });

  test("what is in the log is freed every 4 MiB", async () => {
    const holes: number[] = [];
    const pump = new OutputPump(files, async (_file, length) => {
      holes.push(length);
      return true;
    });
    const mebibyte = `${"x".repeat(1023)}\n`.repeat(1024);
    for (let turn = 0; turn < 9; turn++) {
      appendFileSync(files.output, mebibyte);
      await pump.take();
    }
    expect(holes).toEqual([4 * 2 ** 20, 8 * 2 ** 20]);
  });

  test("where nothing can be freed it is asked for once", async () => {
    let asked = 0;
    const pump = new OutputPump(files, async () => ++asked > 1);
    const mebibyte = `${"x".repeat(1023)}\n`.repeat(1024);
    for (let turn = 0; turn < 9; turn++) {
      appendFileSync(files.output, mebibyte);
      await pump.take();
    }
    expect(asked).toBe(1);
  });

  test.each([
    { name: "of lines", written: `${"x".repeat(1023)}\n`.repeat(3 * 1024), most: 2 * 2 ** 20 },
    {
      name: "of empty lines, whose records are longer than they are",
      written: "\n".repeat(2 ** 18),
      most: 6 * 2 ** 20,
    },
  ])("one take is bounded and returns that more is left: $name", async ({ written, most }) => {
    const pump = new OutputPump(files, undefined);
    appendFileSync(files.output, written);
    expect(await pump.take()).toBe(true);
    expect(statSync(files.log).size).toBeLessThan(most);
    while (await pump.take());
    expect(log()).toBe(written);
  });

  test("an endless run of empty lines is bounded: the last of them are taken, and the log has the number of missing ones", async () => {
    appendFileSync(files.output, "\n".repeat(8 * 2 ** 20));
    await new OutputPump(files, undefined).finish();
    expect(statSync(files.log).size).toBeLessThan(200 * 2 ** 20);
    expect(readFileSync(files.log, "latin1")).toMatch(/ stderr F hooklet: \d+ bytes of output are left out here: /);
  });

  test("an agent killed at the first words of a new log leaves nothing twice: its place is noted before", async () => {
    appendFileSync(files.output, "one\n");
    files = { ...files, position: join(folder, "later", "position") };
    await expect(new OutputPump(files, undefined).take()).rejects.toThrow("ENOENT");
    expect(log()).toBe("");
    mkdirSync(join(folder, "later"));
    await new OutputPump(files, undefined).take();
    expect(log()).toBe("one\n");
  });

  test("what was freed is not taken for zeros when the note of the place is damaged", async () => {
    appendFileSync(files.output, "");
    truncateSync(files.output, 2 ** 20);
    appendFileSync(files.output, "last\n");
    writeFileSync(files.position, "rubbish");
    await new OutputPump(files, undefined).take();
    expect(log()).toBe("last\n");
  });

  test("of more than 64 MiB of waiting output the end is taken, and the log has the amount missing", async () => {
    appendFileSync(files.output, "first\n");
    truncateSync(files.output, 80 * 2 ** 20);
    appendFileSync(files.output, "\nlast\n");
    const pump = new OutputPump(files, undefined);
    while (await pump.take());
    const lines = readFileSync(files.log, "utf8").split("\n");
    expect(lines[0]).toMatch(
      / stderr F hooklet: 67108870 bytes of output are left out here: more than 67108864 bytes waited to be taken into the log$/,
    );
    expect(lines.at(-2)).toMatch(/ stdout F last$/);
    expect(log()).not.toContain("first");
  });
});
