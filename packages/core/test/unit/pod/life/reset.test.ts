import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Container } from "@hooklet/cri-api";
import { VirtualClock } from "@hooklet/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { resetContainers } from "../../../../src/pod/life/reset.js";
import { next } from "../../../../src/pod/next.js";
import { podLogDirectory } from "../../../../src/pod/spec/sandbox-config.js";
import { initialState, type PodEvent, type PodState } from "../../../../src/pod/state.js";
import { aContainer, aPod } from "../../../pod/pods.js";
import { anExit } from "../../../pod/runtime-objects.js";

const rule = { action: "RestartAllContainers", exitCodes: { operator: "In", values: [42] } };
const pod = aPod({
  initContainers: [aContainer("setup")],
  containers: [aContainer("main", { restartPolicyRules: [rule] } as never), aContainer("second")],
});
const running = (name: string, attempt = 0): Container => anExit({ state: "CONTAINER_RUNNING" }, name, attempt);
const observed = (container: string, exitCode?: number): PodEvent => {
  const known = { id: `${container}-0`, attempt: 0, startedAt: 0, imageRef: "" };
  const exit = { ...known, exitCode: exitCode ?? 0, reason: "", message: "", finishedAt: 0, seen: 0 };
  return {
    type: "observed",
    container,
    observation: exitCode === undefined ? { kind: "running", ...known } : { kind: "exited", exit },
  };
};

let podLogsDir: string;
let log: string[];
let fails: Record<string, Error>;
let stop: AbortController;
beforeEach(() => {
  podLogsDir = mkdtempSync(path.join(tmpdir(), "hooklet-reset-"));
  log = [];
  fails = {};
  stop = new AbortController();
});
afterEach(() => rmSync(podLogsDir, { recursive: true, force: true }));

/** `main` has called for a restart of all, `second` runs, `setup` has succeeded. */
const called: readonly PodEvent[] = [
  { type: "admitted" },
  { type: "sandboxReady", id: "s0", attempt: 0, ips: ["10.0.0.1"], at: 0 },
  observed("setup", 0),
  observed("second"),
  observed("main"),
  observed("main", 42),
];

function reset(containers: readonly Container[], events = called): Promise<number | undefined> {
  const state: PodState = events.reduce(next, initialState(pod, 0, 0));
  const call = async (text: string): Promise<void> => {
    log.push(text);
    const error = fails[text];
    if (error !== undefined) throw error;
  };
  return resetContainers({
    ports: {
      clock: new VirtualClock(),
      log: { error: (_: object, text: string) => log.push(`log ${text}`) },
      events: {
        pod: (_: object, type: string, reason: string, text: string) => log.push(`${type} ${reason}: ${text}`),
      },
      runtime: { stopContainer: (id: string, seconds: number) => call(`stop ${id} within ${seconds} s`) },
      handlers: {},
      lists: { of: async () => ({ sandboxes: [], containers }) },
      node: { ip: "192.0.2.1" },
      podLogsDir,
      removeKeepingLog: (id: string) => call(`remove ${id}`),
    } as never,
    state: () => state,
    dispatch: ({ type }) => void log.push(type),
    refresh: (id) => call(`refresh ${id}`),
    signal: () => stop.signal,
  });
}

test("all containers are removed, the one that called for it last; what runs is killed and its end seen before", async () => {
  expect(
    await reset([anExit({}, "main"), running("second"), anExit({}, "setup"), anExit({}, "debug")]),
  ).toBeUndefined();
  expect(log).toEqual([
    "Normal Killing: killing",
    "stop second-0 within 2 s",
    "refresh second-0",
    "remove second-0",
    "remove setup-0",
    "remove main-0",
    "containersReset",
  ]);
});

test("a restart that was asked for ends them in order, within their grace period", async () => {
  await reset([running("second")], [...called.slice(0, 4), { type: "restartRequested" }]);
  expect(log.slice(0, 2)).toEqual(["Normal Killing: Restarting", "stop second-0 within 30 s"]);
});

test("the end of an earlier attempt is known already; one that may run is killed", async () => {
  await reset([anExit({}, "second", 1), anExit({ state: "CONTAINER_UNKNOWN", id: "odd" }, "second")]);
  expect(log).toEqual([
    "remove second-1",
    "Normal Killing: killing",
    "stop odd within 2 s",
    "remove odd",
    "containersReset",
  ]);
});

test("of their logs only that of the last attempt stays", async () => {
  const folder = path.join(podLogDirectory(podLogsDir, pod), "main");
  mkdirSync(folder, { recursive: true });
  for (const attempt of [0, 1, 2]) writeFileSync(path.join(folder, `${attempt}.log`), "");
  await reset([anExit({}, "main", 2), anExit({}, "main", 1)]);
  expect([0, 1, 2].map((attempt) => existsSync(path.join(folder, `${attempt}.log`)))).toEqual([false, false, true]);
});

test("a container that cannot be removed is named once, and the one that called stays until the next try, a second later", async () => {
  fails = { "remove second-0": new Error("busy"), "remove setup-0": new Error("stuck") };
  expect(await reset([anExit({}, "main"), anExit({}, "second"), anExit({}, "setup")])).toBe(1_000);
  const text = "error removing containers to restart all of them: second: busy; setup: stuck";
  expect(log).toEqual([
    "refresh second-0",
    "remove second-0",
    "remove setup-0",
    `log ${text}`,
    `Warning FailedSync: ${text}`,
  ]);
});

test("a pod that is to be stopped is left as it is", async () => {
  stop.abort(new Error("stopped"));
  expect(await reset([anExit({}, "main")])).toBeUndefined();
  expect(log).toEqual([]);
});
