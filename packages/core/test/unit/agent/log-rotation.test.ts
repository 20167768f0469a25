import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { VirtualClock } from "@hooklet/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { type LogRotation, watchLogs } from "../../../src/agent/log-rotation.js";
import { containerLogPath } from "../../../src/pod/spec/container-config.js";
import { podLogDirectory } from "../../../src/pod/spec/sandbox-config.js";
import { aPod } from "../../pod/pods.js";

let podLogsDir: string;
let log: string[];
beforeEach(() => {
  podLogsDir = mkdtempSync(path.join(tmpdir(), "hooklet-log-rotation-"));
  log = [];
});
afterEach(() => rmSync(podLogsDir, { recursive: true, force: true }));

/** The log of a container's attempt 3, of so many bytes. */
function logOf(name: string, bytes: number): string {
  const file = path.join(podLogDirectory(podLogsDir, aPod()), containerLogPath(name, 3));
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, "x".repeat(bytes));
  return file;
}

const worker = (...names: readonly string[]) => ({
  pod: aPod(),
  state: {
    containers: Object.fromEntries(
      names.map((name) => [name, { kind: name === "ended" ? "exited" : "running", id: `id-${name}`, attempt: 3 }]),
    ),
  },
});

/** One tick of the core; undefined where it has no tap. */
async function tick(workers: readonly object[], reopen: LogRotation["runtime"]["reopenContainerLog"]) {
  let period: number | undefined;
  let run: (() => Promise<void>) | undefined;
  const tapPromise = (_: string, tap: () => Promise<void>): void => {
    run = tap;
  };
  const hooks = {
    tick: {
      for: (seconds: number) => {
        period = seconds;
        return { tapPromise };
      },
    },
  };
  watchLogs(hooks as never, { workers: () => workers } as never, {
    clock: new VirtualClock(),
    runtime: reopen === undefined ? {} : { reopenContainerLog: reopen },
    podLogsDir,
    maxSize: 100,
    maxFiles: 2,
    report: (where, error) => void log.push(`${where}: ${(error as Error).message}`),
  });
  await run?.();
  return period;
}

const reopen = async (id: string): Promise<void> => void log.push(id);

test("each 10 s the logs of running containers that are too large are moved away, and reopened by the runtime", async () => {
  const [large, small, ended] = [logOf("main", 101), logOf("second", 10), logOf("ended", 101)];
  expect(await tick([worker("main", "second", "ended")], reopen)).toBe(10);
  expect(log).toEqual(["id-main"]);
  expect([large, small, ended].map((file) => existsSync(file))).toEqual([false, true, true]);
});

test("a runtime that keeps its logs small by itself is left alone", async () => {
  logOf("main", 101);
  expect(await tick([worker("main")], undefined)).toBeUndefined();
});

test("a log that cannot be rotated is reported, and the others are rotated", async () => {
  const file = logOf("main", 101);
  logOf("second", 101);
  await tick([worker("main", "second")], async (id) => {
    if (id === "id-main") throw new Error("no such container");
    log.push(id);
  });
  expect(log).toEqual([`log rotation: ${file} is not rotated: no such container`, "id-second"]);
});

test("a pod that fails does not keep the others from it", async () => {
  logOf("main", 101);
  const broken = {
    pod: aPod({}, { name: "broken" }),
    get state() {
      throw new Error("boom");
    },
  };
  await tick([broken, worker("main")], reopen);
  expect(log).toEqual([`log rotation of pod broken_default(${aPod().metadata.uid}): boom`, "id-main"]);
});
