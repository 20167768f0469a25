import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VirtualClock } from "@hooklet/testkit";
import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import type { Container } from "../../../src/container/container.js";
import { layoutOf } from "../../../src/layout.js";
import { Outputs } from "../../../src/output/outputs.js";
import { OutputPump } from "../../../src/output/pump.js";
import { isRoot, recordingLog } from "../../harness.js";
import { contentOf } from "../../log-content.js";
import { until } from "../../node.js";

const ID = "a".repeat(64);
let folder: string;
let said: string[];
let clock: VirtualClock;
let outputs: Outputs;
let container: Container;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hooklet-outputs-"));
  said = [];
  clock = new VirtualClock();
  const layout = layoutOf(folder);
  mkdirSync(layout.events, { recursive: true });
  outputs = new Outputs({ clock, log: recordingLog(said), layout, asRoot: isRoot, fallocate: undefined });
  const record = { logPath: join(folder, "pod", "main", "0.log"), launch: { user: { uid: 1234, gid: 2345 } } };
  container = { id: ID, record, files: { position: join(folder, "position") } } as unknown as Container;
});
afterEach(() => {
  jest.restoreAllMocks();
  rmSync(folder, { recursive: true, force: true });
});

const makeLogFolder = (): unknown => mkdirSync(join(folder, "pod", "main"), { recursive: true });
const write = (text: string): void => appendFileSync(outputs.fileOf(ID), text);
const log = (): string => contentOf(readFileSync(container.record.logPath, "utf8"));

describe("Outputs", () => {
  test("a container's output file is private to its user: a program of any user can open /dev/stdout", () => {
    outputs.make(container);
    const { uid, gid, mode } = statSync(outputs.fileOf(ID));
    expect(mode & 0o777).toBe(0o600);
    if (isRoot) expect([uid, gid]).toEqual([1234, 2345]);
    write("before");
    outputs.make(container);
  });

  test.each([
    ["a directory", () => mkdirSync(join(outputs.fileOf(ID), "in the way"), { recursive: true })],
    ["nothing", () => undefined],
  ])("%s in place of an output goes with its container: it keeps no agent from starting", async (_name, put) => {
    put();
    await outputs.remove(ID);
    expect(existsSync(outputs.fileOf(ID))).toBe(false);
  });

  test("takes do not queue: what is written during one is taken by one more", async () => {
    let end: (more: boolean) => void = () => {};
    const take = jest.spyOn(OutputPump.prototype, "take").mockImplementation(
      () =>
        new Promise((resolve) => {
          end = resolve;
        }),
    );
    for (let turn = 0; turn < 5; turn++) {
      outputs.wake(container);
      await clock.advance(20);
    }
    expect(take).toHaveBeenCalledTimes(1);
    for (const [more, calls] of [
      [false, 2],
      [true, 3],
      [false, 3],
    ] as const) {
      end(more);
      await clock.advance(20);
      expect(take).toHaveBeenCalledTimes(calls);
    }
  });

  test("what does not fit into one take is taken by those that follow", async () => {
    makeLogFolder();
    const text = `${"x".repeat(1023)}\n`.repeat(3 * 1024);
    write(text);
    outputs.wake(container);
    await clock.advance(20);
    await until("all should be taken", async () => {
      await clock.advance(20);
      return existsSync(container.record.logPath) && log() === text;
    });
    await outputs.close();
  });

  test("an end whose log cannot be written loses nothing: it is reported once and retried", async () => {
    write("last words");
    await outputs.finish(container);
    await clock.advance(10_000);
    await until("it should be tried again", () => clock.pending === 1);
    expect(said.filter((line) => line.includes("is not taken into its log"))).toHaveLength(1);
    expect(existsSync(outputs.fileOf(ID))).toBe(true);
    makeLogFolder();
    await clock.advance(10_000);
    await until("it should be taken", () => !existsSync(outputs.fileOf(ID)));
    expect(log()).toBe("last words");
    await until("no timer should be left", () => clock.pending === 0);
  });

  test("an end that is tried again is given up with its container", async () => {
    write("last words");
    await outputs.finish(container);
    await outputs.remove(ID);
    expect(clock.pending).toBe(0);
    expect(existsSync(outputs.fileOf(ID))).toBe(false);
  });

  test("nothing is written after close: not by what was under way, and an end is left to the next agent", async () => {
    makeLogFolder();
    write(`${"x".repeat(1023)}\n`.repeat(1024));
    outputs.wake(container);
    await clock.advance(20);
    await outputs.close();
    const { size } = statSync(container.record.logPath);
    expect(size).toBeGreaterThan(2 ** 20);
    write("more\n");
    await outputs.finish(container);
    outputs.wake(container);
    expect(clock.pending).toBe(0);
    expect(statSync(container.record.logPath).size).toBe(size);
    expect(existsSync(outputs.fileOf(ID))).toBe(true);
  });
});
