import type { Container, Sandbox } from "@hooklet/cri-api";
import { VirtualClock } from "@hooklet/testkit";
import { RankedSlots } from "@hooklet/utils";
import { expect, test } from "@jest/globals";
import { announce, type StopPorts, stopAll } from "../../../../src/pod/life/terminate.js";
import { initialState, type PodState } from "../../../../src/pod/state.js";
import { aContainer, aPod } from "../../../pod/pods.js";
import { anExit, aSandbox } from "../../../pod/runtime-objects.js";

const pod = aPod({
  terminationGracePeriodSeconds: 20,
  initContainers: [
    aContainer("setup"),
    aContainer("proxy", { restartPolicy: "Always" } as never),
    aContainer("logger", { restartPolicy: "Always" } as never),
  ],
  containers: [aContainer("main"), aContainer("second")],
});
const running = (name: string): Container => anExit({ state: "CONTAINER_RUNNING" }, name);

interface World {
  readonly containers?: readonly Container[];
  readonly sandboxes?: readonly Sandbox[];
  readonly state?: PodState;
  /** Milliseconds that it takes to stop; an error: it cannot be stopped. */
  readonly takes?: Readonly<Record<string, number | Error>>;
  readonly statuses?: Promise<void>;
  readonly slots?: RankedSlots;
  readonly lateSlots?: RankedSlots;
}

function setUp({ containers = [], sandboxes = [], state, takes = {}, statuses, slots, lateSlots }: World) {
  const clock = new VirtualClock();
  const log: string[] = [];
  const note = (text: string): void => void log.push(`${clock.monotonic()}: ${text}`);
  const stop = async (id: string): Promise<void> => {
    const how = takes[id] ?? 0;
    if (how instanceof Error) throw how;
    if (how > 0) await new Promise<void>((resolve) => void clock.schedule(how, resolve));
  };
  const ports = {
    clock,
    log: {},
    events: { pod: () => undefined },
    handlers: {},
    runtime: {
      stopContainer: async (id: string, seconds: number) => {
        note(`stop ${id} within ${seconds} s`);
        await stop(id);
      },
      stopSandbox: async (id: string) => {
        note(`stop ${id}`);
        await stop(id);
      },
    },
    lists: { of: async (uid: string) => (uid === pod.metadata.uid ? { containers, sandboxes } : undefined) },
    node: { ip: "192.0.2.1" },
    statusesSettled: () => statuses,
    stopSlots: slots ?? new RankedSlots(1),
    lateStopSlots: lateSlots ?? new RankedSlots(1),
  } as unknown as StopPorts;
  const gone = async (id: string): Promise<void> => note(`${id} is gone`);
  const termination = { state: state ?? initialState(pod, 0, 0), cause: { kind: "deleted" } as const, gone };
  return { clock, log, note, done: stopAll(ports, termination) };
}

async function stopped(world: World): Promise<readonly string[]> {
  const { clock, log, done } = setUp(world);
  const settled = done.catch((error: unknown) => log.push(String(error)));
  await clock.advance(100_000);
  await settled;
  expect(clock.pending).toBe(0);
  return log;
}

test("what runs, or may run, is stopped and seen; the rest is left alone", async () => {
  const created = { ...running("main"), id: "created", state: "CONTAINER_CREATED" } as const;
  const unknown = { ...running("second"), id: "unknown", state: "CONTAINER_UNKNOWN" } as const;
  expect(await stopped({ containers: [running("main"), anExit({}, "second"), created, unknown] })).toEqual([
    "0: stop main-0 within 20 s",
    "0: stop unknown within 20 s",
    "0: main-0 is gone",
    "0: unknown is gone",
  ]);
});

test("a container that the pod does not name is stopped as well", async () => {
  expect(await stopped({ containers: [running("other")] })).toEqual([
    "0: stop other-0 within 20 s",
    "0: other-0 is gone",
  ]);
});

test("sidecars are stopped after the main containers, in the reverse order of their start, and the sandbox after all", async () => {
  const containers = ["proxy", "logger", "main", "second"].map(running);
  const takes = { "main-0": 3_000, "second-0": 1_000, "logger-0": 2_000 };
  expect(await stopped({ containers, sandboxes: [aSandbox()], takes })).toEqual([
    "0: stop main-0 within 20 s",
    "0: stop second-0 within 20 s",
    "1000: second-0 is gone",
    "3000: main-0 is gone",
    "3000: stop logger-0 within 17 s",
    "5000: logger-0 is gone",
    "5000: stop proxy-0 within 15 s",
    "5000: proxy-0 is gone",
    "5000: stop s0",
  ]);
});

test("a container that cannot be stopped does not keep a sidecar; the sandbox stays, and the error names it", async () => {
  const containers = [running("main"), running("second"), running("proxy")];
  const takes = { "main-0": new Error("it hangs"), "second-0": new Error("it is stuck") };
  const log = await stopped({ containers, sandboxes: [aSandbox()], takes });
  expect(log.slice(2)).toEqual([
    "0: stop proxy-0 within 20 s",
    "0: proxy-0 is gone",
    "AggregateError: 2 containers could not be stopped: Error: it hangs; Error: it is stuck",
  ]);
});

test("all sandboxes are stopped; one that cannot be is named", async () => {
  const sandboxes = [aSandbox({}, 0), aSandbox({}, 1)];
  expect(await stopped({ sandboxes, takes: { s0: new Error("it hangs") } })).toEqual([
    "0: stop s0",
    "0: stop s1",
    "AggregateError: 1 sandboxes could not be stopped: Error: it hangs",
  ]);
});

test("what the runtime had of the pod comes back", async () => {
  const world = { containers: [anExit()], sandboxes: [aSandbox()] };
  const { clock, done } = setUp(world);
  await clock.settle();
  expect(await done).toEqual(world);
});

test("a sandbox that takes longer than 1 s leaves its turn to the next one", async () => {
  const sandboxes = [aSandbox({}, 0), aSandbox({}, 1)];
  expect(await stopped({ sandboxes, takes: { s0: 1_500 } })).toEqual(["0: stop s0", "1000: stop s1"]);
});

test("a sandbox waits for statuses under way, at most 1 s", async () => {
  const sandboxes = [aSandbox()];
  expect(await stopped({ sandboxes, statuses: new Promise(() => undefined) })).toEqual(["1000: stop s0"]);
  expect(await stopped({ sandboxes, statuses: Promise.resolve() })).toEqual(["0: stop s0"]);
});

test("sandboxes that get no turn within 2 s are stopped all the same, 50 ms apart", async () => {
  const slots = new RankedSlots(1);
  void slots.run([], () => new Promise<void>(() => undefined));
  const sandboxes = [aSandbox({}, 0), aSandbox({}, 1), aSandbox({}, 2)];
  expect(await stopped({ sandboxes, slots, takes: { s0: 60, s1: 60 } })).toEqual([
    "2000: stop s0",
    "2050: stop s1",
    "2100: stop s2",
  ]);
});

test("podTerminate taps hear why and how long; what they leave is for after the stop", async () => {
  const events: { gracePeriodSeconds: number; pod: object; cause: object }[] = [];
  const cause = { kind: "evicted", by: "p", reason: "Evicted", message: "m" } as const;
  const later = async (): Promise<void> => undefined;
  const hooks = {
    podTerminate: {
      promise: async (event: (typeof events)[number] & { afterStop(run: () => void): void }) => {
        events.push(event);
        event.afterStop(later);
      },
    },
  };
  const state = initialState(pod, 0, 0);
  const left = await announce({ hooks } as never, { state, cause, gone: async () => undefined });
  expect(left).toEqual([later]);
  expect(events).toMatchObject([{ pod, cause, gracePeriodSeconds: 20 }]);
  expect(Object.isFrozen(events[0]?.cause)).toBe(true);
});
