import { type Container, RuntimeError, type Sandbox } from "@hooklet/cri-api";
import { VirtualClock } from "@hooklet/testkit";
import { RankedSlots } from "@hooklet/utils";
import { beforeEach, describe, expect, test } from "@jest/globals";
import type { TerminationCause } from "../../../../src/hooks/termination.js";
import { EndingSteps } from "../../../../src/pod/life/ending-steps.js";
import { next } from "../../../../src/pod/next.js";
import { initialState, type PodState } from "../../../../src/pod/state.js";
import { aPod } from "../../../pod/pods.js";
import { anExit, aSandbox } from "../../../pod/runtime-objects.js";

const down = new RuntimeError("unavailable", "connection refused");
const { name } = aPod().metadata;

let log: string[];
/** What fails, by what is called. */
let fails: Record<string, Error>;
let containers: Container[];
let sandboxes: Sandbox[];
let shortened: Promise<"shortened">;
let afterStop: (() => void)[];
beforeEach(() => {
  log = [];
  fails = {};
  containers = [anExit()];
  sandboxes = [aSandbox()];
  shortened = new Promise(() => undefined);
  afterStop = [];
});

function stopping(cause: TerminationCause): PodState {
  return next(next(initialState(aPod(), 0, 0), { type: "admitted" }), { type: "terminate", cause, at: 0 });
}

/** Ends a pod, and notes what is called. */
function steps(state = stopping({ kind: "deleted" })): EndingSteps {
  const clock = new VirtualClock();
  const call = (text: string) => async (): Promise<void> => {
    log.push(text);
    const error = fails[text];
    if (error !== undefined) throw error;
  };
  const ports = {
    clock,
    log: { warn: ({ pod }: { pod: string }, text: string) => log.push(`log ${pod}: ${text}`) },
    events: { pod: (_: unknown, type: string, reason: string, text: string) => log.push(`${type} ${reason}: ${text}`) },
    metrics: { sync: (operation: string) => log.push(`metric ${operation}`) },
    remember: (_: string, { kind }: TerminationCause) => call(`remember ${kind}`)(),
    report: (where: string, error: Error) => log.push(`report ${where}: ${error.message}`),
    hooks: {
      podTerminate: {
        promise: async (event: { afterStop(run: () => void): void }) => {
          log.push("taps");
          for (const run of afterStop) event.afterStop(run);
        },
      },
    },
    lists: {
      of: async () => {
        log.push("list");
        return { containers, sandboxes };
      },
    },
    runtime: {
      stopSandbox: (id: string) => call(`stop ${id}`)(),
      removeSandbox: (id: string) => call(`remove ${id}`)(),
      removeContainer: (id: string) => call(`remove ${id}`)(),
    },
    volumes: { clear: call("clear volumes"), remove: call("remove volumes") },
    images: { forget: () => log.push("forget images") },
    statusesSettled: () => undefined,
    stopSlots: new RankedSlots(1),
    lateStopSlots: new RankedSlots(1),
    node: { ip: "" },
    podLogsDir: "/nonexistent",
  };
  return new EndingSteps({
    ports: ports as never,
    state: () => state,
    dispatch: ({ type }) => void log.push(`state ${type}`),
    refresh: async () => undefined,
    shortened: () => shortened,
  });
}

describe("a stop", () => {
  test("is announced, then containers and sandboxes, what taps left, and the emptyDirs", async () => {
    afterStop = [() => void log.push("after")];
    const ending = steps();
    expect(ending.at).toBeUndefined();
    expect(await ending.stop(false)).toBeUndefined();
    expect(log).toEqual(["taps", "list", "stop s0", "after", "clear volumes", "metric kill", "state stopped"]);
    expect(ending.at).toEqual({ step: "volumes" });
  });

  test("of a pod that is not being stopped does nothing", async () => {
    expect(await steps(initialState(aPod(), 0, 0)).stop(false)).toBeUndefined();
    expect(log).toEqual([]);
  });

  test.each<[string, TerminationCause, boolean]>([
    ["of a deadline is", { kind: "deadline" }, true],
    ["of an eviction is", { kind: "evicted", by: "p", reason: "R", message: "m" }, true],
    [
      "of an eviction that does not last is not",
      { kind: "evicted", by: "p", reason: "R", message: "m", lasting: false },
      false,
    ],
    ["of a deletion is not", { kind: "deleted" }, false],
  ])("%s remembered over a restart of the agent", async (_, cause, isKept) => {
    await steps(stopping(cause)).stop(false);
    expect(log[0]).toBe(isKept ? `remember ${cause.kind}` : "taps");
  });

  test("that fails is an event, and tried again after 10 s without a second announcement", async () => {
    fails = { "stop s0": new Error("it hangs") };
    const ending = steps();
    expect(await ending.stop(false)).toBe(10_000);
    const failure = "1 sandboxes could not be stopped: Error: it hangs";
    expect(log.slice(-1)).toEqual([`Warning FailedKillPod: error killing pod: ${failure}`]);
    expect(ending.at).toEqual({ step: "containers", failure });
    fails = {};
    log = [];
    await ending.stop(false);
    expect(log.slice(0, 2)).toEqual(["list", "stop s0"]);
    expect(log.at(-1)).toBe("state stopped");
  });

  test("is tried again after a second, without an event, while the runtime is down", async () => {
    fails = { "stop s0": down };
    expect(await steps().stop(false)).toBe(1_000);
    expect(log).toEqual(["taps", "list", "stop s0"]);
  });

  test("of which a part fails for another reason than the runtime's is an event", async () => {
    sandboxes = [aSandbox(), aSandbox({}, 1)];
    fails = { "stop s0": down, "stop s1": new Error("it hangs") };
    expect(await steps().stop(false)).toBe(10_000);
  });

  test("whose time is cut short is sent again", async () => {
    shortened = Promise.resolve("shortened");
    const ending = steps();
    expect(await ending.stop(false)).toBeUndefined();
    expect(log).not.toContain("state stopped");
    shortened = new Promise(() => undefined);
    await ending.stop(false);
    expect(log.filter((line) => line === "taps")).toHaveLength(1);
    expect(log.at(-1)).toBe("state stopped");
  });

  test("goes on when what a tap left, or the emptyDirs, fail: that is reported", async () => {
    const failing = (): void => {
      throw new Error("boom");
    };
    afterStop = [failing, () => void log.push("after")];
    fails = { "clear volumes": new Error("busy") };
    await steps().stop(false);
    expect(log.slice(3)).toEqual([
      "report afterStop of podTerminate: boom",
      "after",
      "clear volumes",
      `report emptyDirs of pod ${name}: busy`,
      "metric kill",
      "state stopped",
    ]);
  });
});

describe("the removal of a pod that is stopped", () => {
  const removal = ["remove s0", "remove volumes", "forget images", "state removed"];

  test("takes what the stop found; containers go with their sandbox", async () => {
    const ending = steps();
    await ending.stop(false);
    log = [];
    expect(await ending.remove()).toBeUndefined();
    expect(log).toEqual(removal);
    expect(ending.at).toEqual({ step: "removal" });
  });

  test("takes a container without its sandbox as well", async () => {
    containers = [anExit(), anExit({ id: "stray", sandboxId: "s9" })];
    await steps().remove();
    expect(log).toEqual(["list", "remove stray", ...removal]);
  });

  test("reads the runtime again when something may have been made meanwhile", async () => {
    const ending = steps();
    await ending.stop(true);
    log = [];
    await ending.remove();
    expect(log).toEqual(["list", ...removal]);
  });

  test("that fails is noted, and tried again after 10 s from what there is then", async () => {
    const ending = steps();
    await ending.stop(false);
    log = [];
    fails = { "remove volumes": new Error("busy") };
    expect(await ending.remove()).toBe(10_000);
    expect(log.at(-1)).toBe(`log ${name}: removing what is left of the pod failed: busy`);
    expect(ending.at).toEqual({ step: "removal", failure: "busy" });
    fails = {};
    log = [];
    await ending.remove();
    expect(log).toEqual(["list", ...removal]);
    expect(ending.at).toEqual({ step: "removal", failure: "busy" });
  });

  test("is tried again after a second while the runtime is down", async () => {
    fails = { "remove s0": down };
    expect(await steps().remove()).toBe(1_000);
  });
});
