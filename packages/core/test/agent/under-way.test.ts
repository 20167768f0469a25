import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { VirtualClock } from "../../../testkit/src/virtual-clock.js";
import { leftUnderWay, UnderWay } from "../../src/agent/under-way.js";

let folder: string;
let clock: VirtualClock;
const told: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "hooklet-under-way-"));
  clock = new VirtualClock();
  told.length = 0;
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = (): string => path.join(folder, "under-way");

/** The agent that comes after one that was killed at this moment. */
const next = (boot = "boot-1"): UnderWay =>
  new UnderWay(file(), { clock, boot, report: (where, error) => told.push(`${where}: ${String(error)}`) });

describe("an agent that was killed", () => {
  test("leaves the pods that it was handling, and no others", () => {
    const first = next();
    const [a, b] = [first.begin("a"), first.begin("b")];
    first.begin("c")();
    a();
    expect(next().left).toEqual({ over: ["b"], well: [] });
    b();
  });

  test("counts a pod as handled until the outermost of its handlings ends", () => {
    const first = next();
    const outer = first.begin("a");
    first.begin("a")();
    expect(leftUnderWay(readFileSync(file(), "utf8"), "boot-1").over).toEqual(["a"]);
    outer();
    expect(next().left.over).toEqual([]);
  });

  test("does not leave a pod that has been waiting for something for half a minute", async () => {
    const first = next();
    first.begin("pulling");
    await clock.advance(29_000);
    first.begin("new");
    await clock.advance(1_000);
    expect(next().left.over).toEqual(["new"]);
  });

  test("leaves which of the suspected went well; one that is handled again at that moment did not", () => {
    const first = next();
    first.well("a");
    first.well("b");
    first.begin("b");
    expect(first.wellNow).toEqual(["a", "b"]);
    expect(next().left).toEqual({ over: ["b"], well: ["a"] });
  });

  test("leaves nothing that counts after a boot of the machine", () => {
    next().begin("a");
    expect(next("boot-2").left.over).toEqual([]);
  });

  test("leaves nothing once it has ended in order", () => {
    const first = next();
    const done = first.begin("a");
    first.close();
    done();
    expect(next().left.over).toEqual([]);
    expect(told).toEqual([]);
  });
});

test("places are used again: the record of thousands of handlings is as long as that of those at one moment", () => {
  const first = next();
  for (let n = 0; n < 5_000; n++) {
    const [one, other] = [first.begin(`a-${n}`), first.begin(`b-${n}`)];
    one();
    other();
  }
  expect(readFileSync(file()).length).toBeLessThan(500);
});

describe("a record that is none", () => {
  test.each([
    ["garbage", () => writeFileSync(file(), Buffer.from([0, 255, 10, 7, 10, 10]))],
    ["forty megabytes", () => writeFileSync(file(), "x\n".repeat(20_000_000))],
    ["lines of another program", () => writeFileSync(file(), "boot-1\nat ../../etc\nat \nwell\nrun a\n")],
  ])("%s: nobody is suspected, and the next one is whole", (_name, put) => {
    put();
    expect(next().begin("a")).toBeInstanceOf(Function);
    expect(next().left.over).toEqual(["a"]);
    expect(told).toEqual([]);
  });

  test.each([
    ["a folder", () => mkdirSync(file())],
    ["a link", () => symlinkSync("/dev/null", file())],
    ["a FIFO", () => execFileSync("mkfifo", [file()])],
  ])("%s: that is said, and the agent goes on without", (_name, put) => {
    put();
    const record = next();
    record.begin("a")();
    record.well("a");
    record.close();
    expect(record.left.over).toEqual([]);
    expect(told).toHaveLength(1);
    expect(told[0]).toContain("record of the pods that are being handled");
  });
});
