/** What logind's own programs are called with, and what becomes of their answers. The programs are scripts in place of systemd's. */
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { logindProcesses } from "../../src/logind.js";

const before = process.env.PATH;
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "hooklet-logind-"));
  process.env.PATH = `${folder}:${before}`;
});
afterEach(async () => {
  process.env.PATH = before;
  await rm(folder, { recursive: true });
});

async function program(name: string, script: string): Promise<void> {
  await writeFile(path.join(folder, name), `#!/bin/sh\nprintf '%s\\n' "$@" >> ${folder}/${name}.words\n${script}\n`);
  await chmod(path.join(folder, name), 0o755);
}
const words = async (name: string) =>
  (await readFile(path.join(folder, `${name}.words`), "utf8")).trimEnd().split("\n");

const MANAGER = ["org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager"];

test("the longest delay is logind's InhibitDelayMaxUSec, in seconds", async () => {
  await program("busctl", "echo 't 5500000'");
  expect(await logindProcesses().longestDelay()).toBe(5.5);
  expect(await words("busctl")).toEqual(["--system", "get-property", ...MANAGER, "InhibitDelayMaxUSec"]);
});

test("an answer without a number is refused, and a failure of the program is reported with its output", async () => {
  await program("busctl", "echo no");
  await expect(logindProcesses().longestDelay()).rejects.toThrow(
    "logind does not say how long it waits (InhibitDelayMaxUSec)",
  );
  await program("busctl", "echo 'no bus' >&2; exit 1");
  await expect(logindProcesses().longestDelay()).rejects.toThrow("no bus");
});

test("a longer delay is written to the kubelet's file, in whole seconds, and logind reads it again", async () => {
  await program("busctl", "");
  const override = path.join(folder, "conf.d/99-kubelet.conf");
  await logindProcesses({ override }).setLongestDelay(29.2);
  expect(await readFile(override, "utf8")).toBe("# Kubelet logind override\n[Login]\nInhibitDelayMaxSec=30\n");
  expect(await words("busctl")).toEqual([
    "--system",
    "call",
    "org.freedesktop.systemd1",
    "/org/freedesktop/systemd1",
    "org.freedesktop.systemd1.Manager",
    "KillUnit",
    "ssi",
    "systemd-logind.service",
    "all",
    "1",
  ]);
});

test.each([
  { answer: "b true", isGoingDown: true },
  { answer: "b false", isGoingDown: false },
])("PreparingForShutdown says whether the machine goes down: $answer", async ({ answer, isGoingDown }) => {
  await program("busctl", `echo '${answer}'`);
  expect(await logindProcesses().isGoingDown()).toBe(isGoingDown);
  expect((await words("busctl")).at(-1)).toBe("PreparingForShutdown");
});

test("the lock is held once the command of systemd-inhibit runs, and goes with its input", async () => {
  await program("systemd-inhibit", 'shift 4; exec "$@"');
  const lock = await logindProcesses().inhibit();
  let isGone = false;
  void lock.gone.then(() => {
    isGone = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(isGone).toBe(false);
  lock.release();
  await lock.gone;
  expect((await words("systemd-inhibit")).slice(0, 5)).toEqual([
    "--what=shutdown",
    "--mode=delay",
    "--who=kubelet",
    "--why=Kubelet needs time to handle node shutdown",
    "sh",
  ]);
});

test.each([
  { script: "echo 'Access denied' >&2; exit 1", message: "systemd-inhibit ended: Access denied" },
  { script: "exit 1", message: "systemd-inhibit ended: no words" },
])("a lock that logind does not give is an error: $message", async ({ script, message }) => {
  await program("systemd-inhibit", script);
  await expect(logindProcesses().inhibit()).rejects.toThrow(message);
});

test("each signal of logind alone is a change; the end of the monitor is an error", async () => {
  await program("busctl", "echo one; echo two; echo 'connection lost' >&2");
  let changes = 0;
  const watching = logindProcesses().watch(() => {
    changes += 1;
  }, new AbortController().signal);
  await expect(watching).rejects.toThrow("busctl monitor ended: connection lost");
  expect(changes).toBe(2);
  expect(await words("busctl")).toEqual([
    "--system",
    "--json=short",
    "--match=type='signal',sender='org.freedesktop.login1',path='/org/freedesktop/login1',interface='org.freedesktop.login1.Manager',member='PrepareForShutdown'",
    "monitor",
  ]);
});

test("a monitor that is not wanted any more ends", async () => {
  await program("busctl", "exec sleep 60");
  const stopping = new AbortController();
  const watching = logindProcesses().watch(() => undefined, stopping.signal);
  stopping.abort();
  await expect(watching).rejects.toThrow("aborted");
});
