import { RuntimeError, type SandboxConfig } from "@hooklet/cri-api";
import { VirtualClock } from "@hooklet/testkit";
import { RankedSlots, Turns } from "@hooklet/utils";
import { beforeEach, describe, expect, test } from "@jest/globals";
import type { GuardedBeforeSandbox } from "../../../../src/hooks/verdict.js";
import { SandboxSteps } from "../../../../src/pod/life/sandbox-steps.js";
import { initialState } from "../../../../src/pod/state.js";
import { aPod } from "../../../pod/pods.js";
import { aSandbox } from "../../../pod/runtime-objects.js";

let clock: VirtualClock;
let log: unknown[];
let fails: Record<string, unknown>;
let takes: Record<string, number>;
let configs: SandboxConfig[];
let stop: AbortController;
let sandboxSlots: RankedSlots;
let turns: Turns;
beforeEach(() => {
  clock = new VirtualClock();
  log = [];
  fails = {};
  takes = {};
  configs = [];
  stop = new AbortController();
  sandboxSlots = new RankedSlots(1);
  turns = new Turns();
});

async function call(text: string): Promise<void> {
  log.push(text);
  const milliseconds = takes[text];
  if (milliseconds !== undefined) await new Promise<void>((resolve) => void clock.schedule(milliseconds, resolve));
  if (fails[text] !== undefined) throw fails[text];
}

function steps(...plugins: readonly GuardedBeforeSandbox[]): SandboxSteps {
  const state = initialState(aPod(), clock.now() - 2_000, 0);
  const ports = {
    clock,
    sourceOf: () => "file",
    runtime: {
      runSandbox: async (config: SandboxConfig) => {
        configs.push(config);
        await call("run");
        return "s1";
      },
      sandboxStatus: async () => aSandbox({}, 1),
    },
    events: { pod: (_: object, type: string, reason: string, text: string) => log.push(`${type} ${reason}: ${text}`) },
    metrics: Object.fromEntries(
      ["startedPods", "startedPodErrors", "runSandbox", "workerStart", "containersPerPod"].map((name) => [
        name,
        (...values: unknown[]) => log.push(`metric ${[name, ...values].join(" ")}`),
      ]),
    ),
    node: {
      clusterDNS: [],
      clusterDomain: "",
      resolvConf: async () => "",
      missingClusterDNS: () => log.push("no DNS"),
    },
    podLogsDir: "/logs",
    rootDir: "/root",
    startSlots: new RankedSlots(1),
    sandboxSlots,
    turns,
    volumes: { prepare: () => call("volumes"), restore: () => call("restore") },
  };
  const own = new SandboxSteps({
    ports: ports as never,
    state: () => state,
    dispatch: (event) => void log.push(event),
    signal: () => stop.signal,
  });
  own.admitted(plugins);
  return own;
}

async function create(own = steps()): Promise<readonly unknown[]> {
  const done = own.create(1);
  await clock.advance(60_000);
  await done;
  expect(clock.pending).toBe(0);
  return log.filter((line) => !/^(metric (workerStart|containersPerPod)|no DNS)/.test(String(line)));
}

const ready = () => ({ type: "sandboxReady", id: "s1", attempt: 1, ips: ["10.0.0.1"], at: clock.now() - 60_000 });
const failed = (message: string) => ({ type: "syncFailed", message, now: 0 });

describe("a sandbox", () => {
  test("is made with the pod's volumes, then what plugins set, then the runtime's call", async () => {
    const plugin: GuardedBeforeSandbox = async (plan) => {
      log.push("plugin");
      plan.as("cgroups", stop.signal).setCgroupParent("/pods");
    };
    expect(await create(steps(plugin))).toEqual([
      "volumes",
      "plugin",
      "metric startedPods",
      "run",
      "metric runSandbox  0",
      ready(),
    ]);
    expect(configs).toMatchObject([{ metadata: { attempt: 1 }, linux: { cgroupParent: "/pods" } }]);
  });

  test("is measured from the pod's arrival, once", async () => {
    const own = steps();
    await create(own);
    await create(own);
    expect(log.filter((line) => /workerStart|containersPerPod/.test(String(line)))).toEqual([
      "metric workerStart 2",
      "metric containersPerPod 1",
    ]);
  });

  test("whose volumes cannot be had is not made: an event, and another try", async () => {
    fails = { volumes: new Error("no disk") };
    expect(await create()).toEqual(["volumes", "Warning FailedMount: no disk", failed("no disk")]);
  });

  test("that a plugin or the runtime refuses is an event, a metric, and another try", async () => {
    const refusal = "Warning FailedCreatePodSandBox: Failed to create pod sandbox: no";
    const refusing = () => Promise.reject(new Error("no"));
    expect(await create(steps(refusing))).toEqual(["volumes", "metric startedPodErrors", refusal, failed("no")]);
    log = [];
    fails = { run: new Error("no") };
    expect((await create()).slice(-3)).toEqual(["metric startedPodErrors", refusal, { ...failed("no"), now: 60_000 }]);
  });

  test("is tried again without an event while the runtime is down", async () => {
    fails = { run: new RuntimeError("unavailable", "connection refused") };
    expect(await create()).toEqual(["volumes", "metric startedPods", "run", failed("connection refused")]);
  });

  test("of a pod that is to be stopped fails without a word", async () => {
    const stopping = async (): Promise<void> => stop.abort(new Error("stopped"));
    expect(await create(steps(stopping))).toEqual(["volumes"]);
  });

  test("leaves its turn to another one after 200 ms of preparation, and takes it up again", async () => {
    takes = { volumes: 500 };
    const done = create();
    await null;
    void sandboxSlots.run([], async () => void log.push(`other at ${clock.monotonic()}`));
    expect(await done).toEqual([
      "volumes",
      "other at 200",
      "metric startedPods",
      "run",
      "metric runSandbox  0",
      { ...ready(), at: expect.anything() },
    ]);
  });
});

describe("a sandbox that is taken over", () => {
  const prepare = async (own = steps()): Promise<readonly unknown[]> => {
    await own.prepare(0);
    return log;
  };

  test("has its volumes filled again, and is shown to the plugins as one that exists", async () => {
    const plugin: GuardedBeforeSandbox = async (plan) => void log.push(plan.as("x", stop.signal).exists);
    expect(await prepare(steps(plugin))).toEqual(["restore", true, { type: "sandboxPrepared" }]);
  });

  test("begins its preparation in a turn of the event loop of its own: an agent with many pods answers between them", async () => {
    const done = [steps(), steps()].map((own) => own.prepare(0));
    let isOver = false;
    const other = (): void => {
      if (isOver) return;
      log.push("-");
      setImmediate(other);
    };
    setImmediate(other);
    await Promise.all(done);
    isOver = true;
    expect(log.filter((line) => typeof line === "string").join("")).toMatch(/^-*restore-+restore/);
  });

  test("whose volumes or plugins fail is tried again, with an event", async () => {
    fails = { restore: new Error("no disk") };
    expect(await prepare()).toEqual(["restore", "Warning FailedMount: no disk", failed("no disk")]);
    log = [];
    fails = {};
    expect(await prepare(steps(() => Promise.reject(new Error("no"))))).toEqual([
      "restore",
      "metric startedPodErrors",
      "Warning FailedCreatePodSandBox: Failed to create pod sandbox: no",
      failed("no"),
    ]);
  });

  test("of a pod that is to be stopped fails without a word", async () => {
    stop.abort(new Error("stopped"));
    fails = { restore: new Error("stopped") };
    expect(await prepare()).toEqual(["restore"]);
    fails = {};
    log = [];
    expect(await prepare(steps(async () => undefined))).toEqual(["restore"]);
  });
});

test("the configuration is made once for each attempt, and again once plugins were asked", async () => {
  const own = steps(async () => undefined);
  const first = await own.config(0);
  expect(await own.config(0)).toBe(first);
  expect((await own.config(1)).metadata.attempt).toBe(1);
  const second = await own.config(1);
  await own.prepare(1);
  expect(await own.config(1)).not.toBe(second);
});
