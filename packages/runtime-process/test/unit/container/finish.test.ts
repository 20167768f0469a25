/** What a container's end is told as. */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VirtualClock } from "@hooklet/testkit";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Container, type Exited } from "../../../src/container/container.js";
import { finish, setupMessage } from "../../../src/container/finish.js";
import type { ContainerRecord } from "../../../src/container-record.js";
import type { Deps } from "../../../src/deps.js";
import { type Layout, layoutOf } from "../../../src/layout.js";
import { recordingLog } from "../../harness.js";

const ID = "a".repeat(64);
const CREATED = 1_000;
const nanoseconds = (seconds: number) => BigInt(seconds) * 1_000_000_000n;

let folder: string;
let layout: Layout;
let told: unknown[];
let said: string[];
let deps: Deps;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "hooklet-finish-"));
  layout = layoutOf(folder);
  for (const place of [layout.events, join(layout.containers, ID)]) mkdirSync(place, { recursive: true });
  [told, said] = [[], []];
  const outputs = { finish: async () => told.push("output") };
  deps = {
    clock: new VirtualClock(),
    log: recordingLog(said),
    layout,
    bootId: "boot",
    outputs,
    emit: (event: object) => told.push(event),
  } as unknown as Deps;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(file: string, text: string, seconds: number): void {
  writeFileSync(file, text);
  utimesSync(file, seconds, seconds);
}
const event = (what: string, seconds: number, text = "") => write(join(layout.events, `${ID}.${what}`), text, seconds);
const begun = (seconds: number) => write(join(layout.containers, ID, "pids"), "", seconds);
const setup = (text: string) => write(join(layout.containers, ID, "setup"), text, 0);

interface Parts {
  record?: Partial<ContainerRecord>;
  cgroup?: object;
}
function container({ record = {}, cgroup }: Parts = {}): Container {
  const whole = { id: ID, podUid: "pod", createdAt: String(nanoseconds(CREATED)), ...record };
  return new Container(whole as ContainerRecord, layout.containers, cgroup as never);
}

async function end(one: Container): Promise<Exited> {
  await finish(deps, one);
  if (one.life.kind !== "exited") throw new Error("it has not ended");
  return one.life;
}

describe("the end of a container", () => {
  test.each([
    [0, "Completed"],
    [3, "Error"],
    [137, "Error"],
  ])("with code %i is %s", async (code, reason) => {
    begun(1_010);
    event("up", 1_011);
    event(String(code), 1_020);
    const one = container();
    one.exit.set(code);
    expect(await end(one)).toEqual({
      kind: "exited",
      exitCode: code,
      startedAt: nanoseconds(1_010),
      finishedAt: nanoseconds(1_020),
      reason,
      message: "",
    });
  });

  test.each([
    [1, "OOMKilled"],
    [0, "Completed"],
  ])("after the kernel killed %i of its processes for memory is %s, whatever its code", async (kills, reason) => {
    const one = container({ cgroup: { exists: false, oomKills: () => kills } });
    one.up.set();
    one.exit.set(0);
    expect(await end(one)).toMatchObject({ exitCode: 0, reason });
  });

  test("that no process saw is unknown, with why", async () => {
    begun(1_010);
    event("lost", 1_030, "the machine was started again");
    const one = container();
    one.exit.set(undefined);
    expect(await end(one)).toEqual({
      kind: "exited",
      exitCode: 137,
      startedAt: nanoseconds(1_010),
      finishedAt: nanoseconds(1_030),
      reason: "ContainerStatusUnknown",
      message: "the machine was started again",
    });
  });

  test("before it was set up is a failed start, with what the tools said", async () => {
    event("125", 1_020);
    setup("mount: /x: permission denied.\n       dmesg(1) may have more information after failed mount system call.\n");
    const one = container();
    one.exit.set(125);
    expect(await end(one)).toEqual({
      kind: "exited",
      exitCode: 128,
      startedAt: 0n,
      finishedAt: nanoseconds(1_020),
      reason: "StartError",
      message: "failed to set up the container: mount: /x: permission denied.",
    });
  });

  test("of one that could not be started is that of its record, of whichever agent", async () => {
    const startError = { message: "no such file", at: "77" };
    const one = container({ record: { startError } });
    one.exit.set(0);
    expect(await end(one)).toEqual({
      kind: "exited",
      exitCode: 128,
      startedAt: 0n,
      finishedAt: 77n,
      reason: "StartError",
      message: "no such file",
    });
  });

  test("comes after its start, and that after its creation, whatever the files' times are", async () => {
    begun(900);
    event("0", 800);
    const one = container();
    one.up.set();
    one.exit.set(0);
    expect(await end(one)).toMatchObject({ startedAt: nanoseconds(CREATED), finishedAt: nanoseconds(CREATED) });
  });

  test("without a file has the time of now", async () => {
    const one = container({ record: { createdAt: "0" } });
    one.up.set();
    one.exit.set(0);
    const now = deps.clock.now();
    expect(await end(one)).toMatchObject({ startedAt: 0n, finishedAt: BigInt(Math.floor(now)) * 1_000_000n });
  });

  test("is published once, after its output is in its log", async () => {
    const one = container();
    one.up.set();
    one.exit.set(0);
    await Promise.all([finish(deps, one), finish(deps, one)]);
    await finish(deps, one);
    expect(told.filter((what) => what !== "output")).toEqual([
      { podUid: "pod", containerId: ID, type: "CONTAINER_STOPPED" },
    ]);
    expect(told.at(0)).toBe("output");
    expect([one.ended.isSet, one.swept]).toEqual([true, true]);
  });

  test("comes even where processes of it cannot be killed, and the log names the reason", async () => {
    const cgroup = {
      exists: true,
      members: () => {
        throw new Error("EIO");
      },
      oomKills: () => 0,
    };
    const one = container({ cgroup });
    one.up.set();
    one.exit.set(0);
    expect(await end(one)).toMatchObject({ reason: "Completed" });
    expect([one.swept, said]).toEqual([false, [`{"container":"${ID}"} EIO`]]);
  });
});

test("a set-up that said nothing is reported as such; of a long text the beginning is kept", () => {
  const one = container();
  expect(setupMessage(one)).toBe("failed to set up the container: the set-up ended without a word");
  setup(" \n");
  expect(setupMessage(one)).toBe("failed to set up the container: the set-up ended without a word");
  setup(`x${"y".repeat(5_000)}`);
  expect(setupMessage(one)).toBe(`failed to set up the container: x${"y".repeat(4_095)}`);
});

test("what happens once keeps its first value", async () => {
  const { exit } = container();
  expect([exit.isSet, exit.value]).toEqual([false, undefined]);
  exit.set(3);
  exit.set(4);
  expect([exit.isSet, exit.value, await exit.happened]).toEqual([true, 3, 3]);
});
