/** How long a container's processes are killed, and which. Signals go nowhere here, but to the processes that a test has started. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { identify, type ProcessIdentity } from "@hooklet/linux";
import { VirtualClock } from "@hooklet/testkit";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { endSetup, sweep, takeClaim } from "../../../src/container/clean-up.js";
import type { Container } from "../../../src/container/container.js";
import type { Deps } from "../../../src/deps.js";
import { readCommandLine } from "../../../src/proc/members.js";
import { recordingLog } from "../../harness.js";
import { until } from "../../node.js";

let folder: string;
let clock: VirtualClock;
let sent: [number, number][];
let said: string[];
let deps: Deps;
let child: ChildProcess | undefined;
/** What a KILL does. */
let works: boolean;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hooklet-clean-"));
  clock = new VirtualClock();
  [sent, said, works] = [[], [], true];
  const send = async ({ pid }: ProcessIdentity, signal: number): Promise<boolean> => {
    sent.push([pid, signal]);
    if (works && pid === child?.pid) child.kill("SIGKILL");
    return true;
  };
  deps = { clock, bootId: "boot", signals: { send }, log: recordingLog(said) } as unknown as Deps;
});
afterEach(() => {
  child?.kill("SIGKILL");
  child = undefined;
  rmSync(folder, { recursive: true, force: true });
});

async function start(...command: readonly string[]): Promise<ProcessIdentity> {
  const [file = "", ...args] = command;
  child = spawn(file, args, { detached: true, stdio: "ignore" });
  const { pid = 0 } = child;
  await until("it should run", () => readCommandLine(pid).startsWith(file));
  return identify(pid) ?? { pid, startTicks: "" };
}

const containerWith = (parts: object): Container =>
  ({ id: "c1", folder, files: { claim: (number: number) => join(folder, `claim.${number}`) }, ...parts }) as Container;

/** Lets time go on until the work has ended. */
async function over(work: Promise<unknown>, milliseconds = 100): Promise<void> {
  let done = false;
  const settle = (): void => {
    done = true;
  };
  work.then(settle, settle);
  await until("it should end", async () => {
    await clock.advance(milliseconds);
    return done;
  });
  await work;
}

const KILL = constants.signals.SIGKILL;

describe("the processes of a container", () => {
  test("are killed until none is left", async () => {
    const main = await start("sleep", "60");
    await over(sweep(deps, containerWith({ processes: { bootId: "boot", main } })));
    expect(sent[0]).toEqual([main.pid, KILL]);
    expect(identify(main.pid)).toBeUndefined();
  });

  test.each([
    ["that was never started", undefined],
    ["of another boot of the machine", "another"],
  ])("are none for one %s", async (_name, bootId) => {
    const main = await start("sleep", "60");
    await sweep(deps, containerWith({ processes: bootId && { bootId, main } }));
    expect([sent, clock.pending]).toEqual([[], 0]);
  });

  test("are those of its cgroup where it has one, which kills them itself", async () => {
    const main = await start("sleep", "60");
    const left = [[main.pid, 2 ** 22 + 1], [main.pid], []];
    let kills = 0;
    const cgroup = {
      exists: true,
      members: () => left[Math.min(kills, 2)],
      kill: async (kill: (member: ProcessIdentity) => Promise<boolean>) => {
        kills++;
        await kill({ pid: 7, startTicks: "1" });
      },
    };
    await over(sweep(deps, containerWith({ cgroup, processes: { bootId: "boot", main } })));
    expect([kills, sent]).toEqual([
      2,
      [
        [7, KILL],
        [7, KILL],
      ],
    ]);
  });

  test("are looked for where its cgroup has gone", async () => {
    const main = await start("sleep", "60");
    await over(sweep(deps, containerWith({ cgroup: { exists: false }, processes: { bootId: "boot", main } })));
    expect(sent[0]).toEqual([main.pid, KILL]);
  });

  test("that the kernel holds longer than 10 s are named", async () => {
    works = false;
    const main = await start("sleep", "60");
    const began = clock.monotonic();
    await expect(
      over(sweep(deps, containerWith({ processes: { bootId: "boot", main } })), 1_000),
    ).rejects.toMatchObject({
      code: "deadline-exceeded",
      message: `container c1: processes ${main.pid} did not end 10 s after KILL; they may wait for a disk or network`,
    });
    expect(clock.monotonic() - began).toBeGreaterThanOrEqual(10_000);
    // The pauses grow: 2, 4, 8, ... and at most 100 ms.
    expect(sent.length).toBeGreaterThan(100);
    expect(sent.length).toBeLessThan(112);
  });

  test("are named up to the tenth", async () => {
    const main = await start("sleep", "60");
    const cgroup = { exists: true, members: () => Array.from({ length: 12 }, () => main.pid), kill: async () => {} };
    await expect(over(sweep(deps, containerWith({ cgroup })), 1_000)).rejects.toThrow(
      `container c1: processes ${Array.from({ length: 10 }, () => main.pid).join(", ")} did not end`,
    );
  });
});

describe("the set-up of a container", () => {
  test("ends: no shim that was asked for can start any more, and its processes are killed", async () => {
    const { pid } = await start("tail", "-F", join(folder, "any"));
    await over(endSetup(deps, containerWith({ claims: 2 })));
    expect(readdirSync(folder).sort()).toEqual(["claim.0", "claim.1"]);
    expect(sent[0]).toEqual([pid, KILL]);
    expect(said).toEqual([]);
  });

  test("that the kernel holds longer than 10 s is left, and reported", async () => {
    works = false;
    const { pid } = await start("tail", "-F", join(folder, "any"));
    await over(endSetup(deps, containerWith({ claims: 0 })), 1_000);
    expect(said).toEqual([`{"container":"c1"} processes ${pid} of its set-up did not end after KILL`]);
    expect(sent.length).toBeGreaterThan(100);
  });
});

test("a claim is taken once; one that a shim has is not taken", async () => {
  const claim = join(folder, "claim.0");
  expect([await takeClaim(claim), await takeClaim(claim)]).toEqual([true, false]);
  const ofShim = join(folder, "claim.1");
  writeFileSync(ofShim, "");
  expect(await takeClaim(ofShim)).toBe(false);
  await expect(takeClaim(join(folder, "gone", "claim.0"))).rejects.toThrow("ENOENT");
});
