import { type ContainerConfig, type Container as RuntimeContainer, RuntimeError } from "@hooklet/cri-api";
import type { Container } from "@hooklet/manifest";
import { VirtualClock } from "@hooklet/testkit";
import { RankedSlots } from "@hooklet/utils";
import { beforeEach, describe, expect, test } from "@jest/globals";
import { ImageError } from "../../../../../src/images/ensure-image.js";
import type { ContainerPlanBuilder } from "../../../../../src/plan/builder.js";
import type { ContainerPlan } from "../../../../../src/plan/contract.js";
import { startContainer } from "../../../../../src/pod/life/start/start.js";
import { next } from "../../../../../src/pod/next.js";
import { initialState, type PodEvent, type PodState } from "../../../../../src/pod/state.js";
import { aContainer, aPod } from "../../../../pod/pods.js";
import { anExit } from "../../../../pod/runtime-objects.js";

const down = new RuntimeError("unavailable", "connection refused");
const exists = new RuntimeError("already-exists", "the name is taken");

let clock: VirtualClock;
let log: string[];
let state: PodState;
/** What fails, by what is called. */
let fails: Record<string, Error>;
let configs: ContainerConfig[];
let listed: RuntimeContainer[];
/** How the container is after its start. */
let after: ReturnType<typeof anExit>;
let stop: AbortController;
/** At this call the pod is to be stopped. */
let stopsAt: string | undefined;
let tap: (plan: ContainerPlanBuilder) => void;
beforeEach(() => {
  clock = new VirtualClock();
  log = [];
  fails = {};
  configs = [];
  listed = [];
  after = anExit({ id: "c1", state: "CONTAINER_RUNNING" });
  stop = new AbortController();
  stopsAt = undefined;
  tap = () => undefined;
});

async function start(container: Container = aContainer("main"), spec: object = {}): Promise<PodState> {
  const pod = aPod({ containers: [container], ...spec });
  const events: PodEvent[] = [
    { type: "admitted" },
    { type: "sandboxReady", id: "s0", attempt: 0, ips: ["10.0.0.1"], at: 0 },
  ];
  state = events.reduce(next, initialState(pod, 0, 0));
  return again(container);
}

async function again(container: Container = aContainer("main")): Promise<PodState> {
  const call = async (text: string): Promise<void> => {
    log.push(text);
    if (text === stopsAt) stop.abort(new Error("stopped"));
    const error = fails[text];
    if (error === undefined) return;
    delete fails[text];
    throw error;
  };
  const ports = {
    clock,
    log: { warn: (_: unknown, text: string) => log.push(`log ${text}`) },
    events: { pod: (_: unknown, type: string, reason: string, text: string) => log.push(`${type} ${reason}: ${text}`) },
    metrics: {
      startedContainer: (type: string) => log.push(`metric started ${type}`),
      startedContainerError: (type: string, reason: string) => log.push(`metric ${type} ${reason}`),
    },
    report: (where: string, error: Error) => log.push(`report ${where}: ${error.message}`),
    images: {
      leases: {
        hold: async (image: string) => {
          log.push(`hold ${image}`);
          return () => log.push(`release ${image}`);
        },
      },
      ensure: async () => {
        await call("image");
        return { id: "sha256:app", names: [], size: 1, user: { uid: 0 } };
      },
    },
    runtime: {
      logFormat: "raw",
      createContainer: async (_: string, config: ContainerConfig) => {
        configs.push(config);
        await call("create");
        return "c1";
      },
      listContainers: async () => listed,
      removeContainer: (id: string) => call(`remove ${id}`),
      startContainer: (id: string) => call(`start ${id}`),
      containerStatus: async () => after,
    },
    handlers: { run: (_: object, target: { podIp: string }) => call(`hook at ${target.podIp}`) },
    hooks: {
      containerStart: {
        promise: async (plan: ContainerPlanBuilder, { kind, restartCount }: { kind: string; restartCount: number }) => {
          await call(`tap ${kind} ${restartCount}`);
          tap(plan);
        },
      },
    },
    decisions: () => ({ record: () => undefined }),
    node: { name: "n", ip: "192.0.2.1", clusterDomain: "", allocatable: () => ({}), hosts: async () => "" },
    values: { of: async () => ({ get: () => undefined, services: {} }) },
    volumes: {
      restore: () => call("volumes"),
      mounts: async () => [],
      hostsMount: async () => ({ containerPath: "/etc/hosts", hostPath: "/x" }),
      terminationLogMount: async () => undefined,
      terminationLog: () => "/nonexistent",
    },
    startSlots: new RankedSlots(1),
    seccompDefault: () => false,
    allowedHostPaths: () => null,
  };
  await startContainer(
    {
      ports: ports as never,
      state: () => state,
      dispatch: (event) => {
        state = next(state, event);
      },
      sandboxConfig: { metadata: { uid: "u1" }, runtimeHandler: "" } as never,
      signal: stop.signal,
    },
    container,
  );
  return state;
}

const main = (): object => state.containers.main ?? {};
const made = ["hold host", "image", "volumes", "tap main 0", "create", "Normal Created: Created container: main"];

test("an image is held until the container exists; then the container starts", async () => {
  await start();
  expect(log).toEqual([
    ...made,
    "release host",
    "start c1",
    "metric started container",
    "Normal Started: Started container main",
  ]);
  expect(main()).toMatchObject({ kind: "running", id: "c1" });
});

test("an init container, and a sidecar, are announced as such", async () => {
  const setup = aContainer("setup");
  await start(setup, { initContainers: [setup], containers: [aContainer("main")] });
  expect(log).toEqual(expect.arrayContaining(["tap init 0", "metric started init_container"]));
  const proxy = aContainer("proxy", { restartPolicy: "Always" } as never);
  await start(proxy, { initContainers: [proxy], containers: [aContainer("main")] });
  expect(log).toContain("tap sidecar 0");
});

test.each<[string, (plan: ContainerPlan) => void, object]>([
  ["nothing", () => undefined, { ready: true, started: true }],
  ["its readiness", (plan) => plan.holdReady(), { ready: false, started: true }],
  ["its start", (plan) => plan.holdStarted(), { ready: true, started: false }],
])("a plugin that holds back %s is heard before the container is made", async (_, hold, gate) => {
  tap = (plan) => hold(plan.as("probe"));
  expect((await start()).gates).toEqual({ main: gate });
});

describe("a start that fails before the container runs", () => {
  test.each<[string, string, Error, string]>([
    ["for its image", "image", new ImageError("ErrImagePull", "no such image", 77_000), "ErrImagePull"],
    ["for its volumes", "volumes", new Error("disk full"), "CreateContainerConfigError"],
    ["for a plugin", "tap main 0", new Error("no device"), "PreCreateHookError"],
    ["in the runtime", "create", new Error("bad image"), "CreateContainerError"],
    ["for what is known nowhere", "image", new Error("boom"), "CreateContainerError"],
  ])("%s is an event and a metric, and waits for its next try with its reason", async (_, what, error, reason) => {
    fails = { [what]: error };
    await start();
    const isImage = error instanceof ImageError;
    expect(log.slice(-3).toSorted()).toEqual(
      [
        "release host",
        `metric container ${reason}`,
        `Warning Failed: Error: ${isImage ? reason : error.message}`,
      ].toSorted(),
    );
    const notBefore = isImage ? 77_000 : 10_000;
    expect(main()).toMatchObject({ kind: "waiting", reason, message: error.message, notBefore });
  });

  test("while the runtime is down is tried again after a second, without an event", async () => {
    for (const what of ["create", "image"]) {
      fails = { [what]: down };
      await start();
      expect(main()).toMatchObject({ reason: "ContainerCreating", message: "", notBefore: 1_000 });
    }
    expect(log.join()).not.toMatch(/metric|Warning/);
  });

  test("when the pod is to be stopped is none", async () => {
    stop.abort(new Error("stopped"));
    fails = { volumes: new Error("stopped") };
    await start();
    expect(log.join()).not.toMatch(/metric|Warning/);
    await start();
    expect(log).not.toContain("create");
  });

  test("for a plugin waits twice as long each time, at most 5 min; for another reason 10 s each time", async () => {
    const delays = async (what: () => string, times: number) => {
      const waited: unknown[] = [];
      fails = { [what()]: new Error("no") };
      await start();
      for (let at = 0; at < times; at++) {
        waited.push((main() as { notBefore: number }).notBefore);
        fails = { [what()]: new Error("no") };
        await again();
      }
      return waited;
    };
    expect(await delays(() => "tap main 0", 7)).toEqual([10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000]);
    expect(await delays(() => "create", 3)).toEqual([10_000, 10_000, 10_000]);
  });
});

describe("a container whose name is taken", () => {
  test("is made again when the other one never started", async () => {
    fails = { create: exists };
    listed = [anExit({ id: "old", state: "CONTAINER_CREATED" }), anExit({}, "other"), anExit({}, "main", 1)];
    await start();
    expect(log.slice(0, 8)).toEqual([...made.slice(0, 5), "remove old", ...made.slice(4)]);
    expect(main()).toMatchObject({ kind: "running" });
  });

  test("is the other one when that has started", async () => {
    fails = { create: exists };
    listed = [anExit({ id: "old", state: "CONTAINER_RUNNING" })];
    await start();
    expect(log).toContain("start old");
    expect(log.filter((line) => line === "create")).toHaveLength(1);
  });

  test("fails when there is no other one", async () => {
    fails = { create: exists };
    listed = [anExit({}, "main", 1), anExit({}, "other", 0)];
    await start();
    expect(main()).toMatchObject({ kind: "waiting", reason: "CreateContainerError", message: "the name is taken" });
  });
});

describe("a start that fails in the runtime", () => {
  beforeEach(() => {
    fails = { "start c1": new Error("no such program") };
  });

  test("of a container that never ran removes it", async () => {
    after = anExit({ id: "c1", state: "CONTAINER_CREATED" });
    await start();
    expect(log.slice(-3)).toEqual([
      "remove c1",
      "metric container RunContainerError",
      "Warning Failed: Error: no such program",
    ]);
    expect(main()).toMatchObject({ kind: "waiting", reason: "RunContainerError", message: "no such program" });
  });

  test("of a container that has ended is its end", async () => {
    after = anExit({ id: "c1", exitCode: 128 });
    await start();
    expect(log.slice(-2)).toEqual(["metric container RunContainerError", "Warning Failed: Error: no such program"]);
    expect(main()).toMatchObject({ kind: "exited", exit: { exitCode: 128 } });
    expect(log.join()).not.toContain("Started");
  });

  test("of a container that runs all the same is a start", async () => {
    await start();
    expect(log.slice(-2)).toEqual(["metric started container", "Normal Started: Started container main"]);
    expect(main()).toMatchObject({ kind: "running" });
  });
});

describe("after the start", () => {
  const withHook = aContainer("main", { lifecycle: { postStart: { exec: { command: ["hi"] } } } });
  const then = (): string => log.slice(log.indexOf("Normal Started: Started container main") + 1).join(", ");

  beforeEach(() => {
    tap = (plan) => plan.as("probe").afterStart((started) => void log.push(`heard ${JSON.stringify(started)}`));
  });

  test("the postStart hook runs, then what plugins left", async () => {
    await start(withHook);
    const started = { podUid: "u1", container: "main", containerId: "c1", restartCount: 0, startedAt: 10_000 };
    expect(then()).toBe(`hook at 10.0.0.1, heard ${JSON.stringify(started)}`);
  });

  test("a postStart hook that fails is an event, the container is killed, and no plugin hears of it", async () => {
    fails = { "hook at 10.0.0.1": new Error("exit 1") };
    await start(withHook);
    expect(then()).toBe(
      "hook at 10.0.0.1, log PostStart hook failed: exit 1, Warning FailedPostStartHook: PostStartHook failed",
    );
    expect(main()).toMatchObject({ kind: "running", kill: { message: "FailedPostStartHook" } });
  });

  test("a postStart hook that is broken off by the pod's stop is no failure, and no plugin hears of it", async () => {
    stopsAt = "hook at 10.0.0.1";
    fails = { [stopsAt]: new Error("stopped") };
    await start(withHook);
    expect(log.join()).not.toMatch(/FailedPostStartHook|heard/);
    expect(main()).toMatchObject({ kind: "running" });
    expect(main()).not.toHaveProperty("shownAs");
  });

  test("what a plugin left that fails is reported; the container runs on", async () => {
    tap = (plan) =>
      plan.as("probe").afterStart(() => {
        throw new Error("boom");
      });
    await start();
    expect(then()).toMatch(/^report afterStart of probe: .*boom/);
    expect(main()).toMatchObject({ kind: "running" });
  });
});
