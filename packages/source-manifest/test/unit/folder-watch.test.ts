/** When a change of a folder is told: real files, and a clock that the tests move. */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { VirtualClock } from "@hooklet/testkit";
import type { Clock } from "@hooklet/utils";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { pause, temporaryFolder, until } from "../../../core/test/sources/harness.js";
import { FolderWatch } from "../../src/folder-watch.js";

let root: Awaited<ReturnType<typeof temporaryFolder>>;
let clock: VirtualClock;
let changes: number;
let watch: FolderWatch;
const at = (...names: readonly string[]) => join(root.path, ...names);

beforeEach(async () => {
  root = await temporaryFolder();
  clock = new VirtualClock();
  changes = 0;
  mkdirSync(at("pods"));
  watch = watching(at("pods"));
});
afterEach(async () => {
  watch.close();
  await root.remove();
});

function watching(path: string): FolderWatch {
  return new FolderWatch(path, clock, () => {
    changes += 1;
  });
}

/** Waits until a change has been seen, which is told once it is quiet. */
const seen = () => until(() => clock.pending === 1);
/** Long enough for an event of the kernel that should not come. */
const quiet = () => pause(30);

/** Writes into a file that is there already, which is one event or two, and waits for them. */
async function touch(...names: readonly string[]): Promise<void> {
  writeFileSync(at(...names), "x");
  await seen();
  await quiet();
}

describe("a directory", () => {
  test("that changes is reported once it has been quiet for 4 ms", async () => {
    await watch.refresh();
    await touch("pods", "a");
    await clock.advance(3);
    expect(changes).toBe(0);
    await clock.advance(1);
    expect([changes, clock.pending]).toEqual([1, 0]);
    await touch("pods", "a");
    await clock.advance(4);
    expect(changes).toBe(2);
  });

  test("that changes again and again is reported once, and a change 200 ms after the first one delays that no more", async () => {
    let now = 0;
    const timers = new Set<{ readonly since: number; readonly run: () => void }>();
    const still = {
      monotonic: () => now,
      schedule: (_: number, run: () => void) => {
        const timer = { since: now, run };
        timers.add(timer);
        return { cancel: () => timers.delete(timer) };
      },
    };
    watch = new FolderWatch(at("pods"), still as unknown as Clock, () => {
      changes += 1;
    });
    await watch.refresh();
    const since: number[] = [];
    for (now of [0, 3, 199, 200, 1_000]) {
      writeFileSync(at("pods", "a"), "x");
      await until(() => timers.size === 1);
      await quiet();
      since.push(...[...timers].map((timer) => timer.since));
    }
    expect(since).toEqual([0, 3, 199, 199, 199]);
    for (const { run } of timers) run();
    expect(changes).toBe(1);
  });

  test("is not reported before it is watched, nor after the watch is closed", async () => {
    writeFileSync(at("pods", "a"), "");
    await quiet();
    await watch.refresh();
    await touch("pods", "b");
    watch.close();
    expect(clock.pending).toBe(0);
    writeFileSync(at("pods", "c"), "");
    await quiet();
    await clock.advance(1_000);
    expect(changes).toBe(0);
  });

  test("that comes later is watched from the next refresh on", async () => {
    watch = watching(at("later"));
    await watch.refresh();
    mkdirSync(at("later"));
    await watch.refresh();
    await touch("later", "a");
    await clock.advance(4);
    expect(changes).toBe(1);
  });

  test("that is replaced is watched from the next refresh on, and the old one no more", async () => {
    await watch.refresh();
    renameSync(at("pods"), at("old"));
    mkdirSync(at("pods"));
    await watch.refresh();
    await quiet();
    await clock.advance(4);
    changes = 0;
    writeFileSync(at("old", "a"), "");
    await quiet();
    expect(clock.pending).toBe(0);
    await touch("pods", "a");
    await clock.advance(4);
    expect(changes).toBe(1);
  });

  test("that goes is watched no more, and that is no error", async () => {
    await watch.refresh();
    rmSync(at("pods"), { recursive: true });
    await watch.refresh();
    await quiet();
    await clock.advance(4);
    changes = 0;
    mkdirSync(at("pods"));
    writeFileSync(at("pods", "a"), "");
    await quiet();
    expect([changes, clock.pending]).toEqual([0, 0]);
  });
});

describe("a file", () => {
  beforeEach(async () => {
    writeFileSync(at("pods", "own"), "");
    watch.close();
    watch = watching(at("pods", "own"));
    await watch.refresh();
  });

  test("that changes is reported; others of its folder are not", async () => {
    writeFileSync(at("pods", "other"), "");
    await quiet();
    expect(clock.pending).toBe(0);
    await touch("pods", "own");
    await clock.advance(4);
    expect(changes).toBe(1);
  });

  test("of a mounted ConfigMap changes with the link of that", async () => {
    symlinkSync("x", at("pods", "..data"));
    await seen();
    await clock.advance(4);
    expect(changes).toBe(1);
  });

  test("that another one takes the place of is reported, and watched on: it is the folder that is watched", async () => {
    writeFileSync(at("pods", "new"), "");
    renameSync(at("pods", "new"), at("pods", "own"));
    await seen();
    await quiet();
    await clock.advance(4);
    await watch.refresh();
    await touch("pods", "own");
    await clock.advance(4);
    expect(changes).toBe(2);
  });
});
