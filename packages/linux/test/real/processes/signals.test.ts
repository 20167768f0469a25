import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { systemClock } from "@hooklet/utils";
import { afterEach, describe, expect, test } from "@jest/globals";
import { identify, identifyListed, type ProcessIdentity } from "../../../src/processes/process-identity.js";
import { Signals } from "../../../src/processes/signals.js";

const run = promisify(execFile);
const { SIGKILL, SIGTERM } = os.constants.signals;

const asRoot = process.getuid?.() === 0 ? test : test.skip;
const built = path.join(import.meta.dirname, "../../../dist/processes/signals.js");

const folders: string[] = [];
const opened: Signals[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
  for (const signals of opened.splice(0)) signals.close();
});

function newSignals(): Signals {
  const signals = new Signals(systemClock);
  opened.push(signals);
  return signals;
}

function aProcess() {
  const child = spawn("sleep", ["300"]);
  return { child, ended: once(child, "exit"), who: identify(child.pid ?? 0) as ProcessIdentity };
}

describe("a pid that is reused while a signal is under way", () => {
  // pidfd_send_signal(2), when the process is held and was found to be the right one; pidfd_open(2), when it is about to be held.
  asRoot.each([["424"], ["434"]])("is not hit: before system call %s", async (call) => {
    const folder = mkdtempSync(path.join(os.tmpdir(), "hooklet-pid-"));
    folders.push(folder);
    const script = path.join(import.meta.dirname, "given-anew.mjs");
    const words = ["-p", "-f", "--kill-child", "--mount-proc", process.execPath, script, built, folder, call];
    const { stdout } = await run("unshare", words);
    expect(JSON.parse(stdout)).toEqual({ answer: false, survived: true });
  });
});

describe.each([
  ["with perl", process.env.PATH],
  ["without perl", "/nowhere"],
])("a signal %s", (_, searched) => {
  const before = process.env.PATH;
  const within = async <T>(work: (signals: Signals) => Promise<T>): Promise<T> => {
    process.env.PATH = searched;
    try {
      return await work(newSignals());
    } finally {
      process.env.PATH = before;
    }
  };

  test("reaches the process that was meant, and none that began at another time", async () => {
    const { child, ended, who } = aProcess();
    await within(async (signals) => {
      expect(await signals.send({ ...who, startTicks: String(BigInt(who.startTicks) - 1n) }, SIGKILL)).toBe(false);
      expect(child.signalCode).toBeNull();
      expect(await signals.send(who, SIGTERM)).toBe(true);
    });
    expect(await ended).toEqual([null, "SIGTERM"]);
  });

  test("for an ended one reports that", async () => {
    const { child, ended, who } = aProcess();
    child.kill("SIGKILL");
    await ended;
    expect(await within((signals) => signals.send(who, SIGKILL))).toBe(false);
  });

  test("goes to many at once", async () => {
    const many = Array.from({ length: 40 }, aProcess);
    const sent = await within((signals) => Promise.all(many.map(({ who }) => signals.send(who, SIGKILL))));
    expect(sent).toEqual(many.map(() => true));
    await Promise.all(many.map(({ ended }) => ended));
  });
});

/** Helpers of this process; those of the tests before may not have ended yet. */
async function helpers(): Promise<readonly string[]> {
  const { stdout } = await run("pgrep", ["-P", String(process.pid), "-x", "perl"]).catch(() => ({ stdout: "" }));
  return stdout.split("\n").filter((pid) => pid !== "");
}

test("a helper that was killed is replaced, and what it had not answered is sent all the same", async () => {
  const before = await helpers();
  const signals = newSignals();
  const first = aProcess();
  await signals.send(first.who, SIGKILL);
  await first.ended;
  const [helper] = (await helpers()).filter((pid) => !before.includes(pid));
  process.kill(Number(helper), "SIGKILL");
  const others = [aProcess(), aProcess()];
  expect(await Promise.all(others.map(({ who }) => signals.send(who, SIGKILL)))).toEqual([true, true]);
  await Promise.all(others.map(({ ended }) => ended));
});

test.each([[0], [1], [-5]])("pid %d must not be signalled", async (pid) => {
  await expect(newSignals().send({ pid, startTicks: "1" }, SIGKILL)).rejects.toMatchObject({ code: "INVALID" });
});

describe("the processes of a list of pids", () => {
  const at = (startTicks: string) => (pid: number) => ({ pid, startTicks });

  test("are those that are still on the list afterwards", () => {
    const lists = [[7, 8], [8]];
    expect(identifyListed(() => lists.shift() ?? [], at("5"))).toEqual([{ pid: 8, startTicks: "5" }]);
  });

  test("are none, when all ended meanwhile", () => {
    expect(
      identifyListed(
        () => [7],
        () => undefined,
      ),
    ).toEqual([]);
  });
});
