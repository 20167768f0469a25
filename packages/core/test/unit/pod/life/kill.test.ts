import { VirtualClock } from "@hooklet/testkit";
import { beforeEach, expect, test } from "@jest/globals";
import { type KillPorts, type KillRequest, killContainer } from "../../../../src/pod/life/kill.js";
import { aContainer, aPod } from "../../../pod/pods.js";

const withHook = aContainer("main", { lifecycle: { preStop: { exec: { command: ["bye"] } } } });

let clock: VirtualClock;
let log: string[];
let isHookAborted: (() => boolean) | undefined;

beforeEach(() => {
  clock = new VirtualClock();
  log = [];
  isHookAborted = undefined;
});

/** Stops `main` of a pod with 30 s of grace; `hook`: milliseconds that its preStop takes, or how it fails. */
async function kill(request: Partial<KillRequest> = {}, hook: number | Error = 0): Promise<void> {
  const note = (text: string): void => void log.push(`${clock.monotonic()}: ${text}`);
  const ports = {
    clock,
    log: { warn: (_: unknown, text: string) => note(text) },
    runtime: { stopContainer: async (id: string, seconds: number) => note(`stop ${id} within ${seconds} s`) },
    events: {
      pod: (_: unknown, type: string, reason: string, text: string, container: string) =>
        note(`${type} ${reason} ${container}: ${text}`),
    },
    handlers: {
      run: async (handler: object, target: { podIp: string }, seconds: number, signal: AbortSignal) => {
        isHookAborted = () => signal.aborted;
        note(`hook ${JSON.stringify(handler)} at ${target.podIp} within ${seconds} s`);
        if (hook instanceof Error) throw hook;
        await new Promise<void>((resolve) => void clock.schedule(hook, resolve));
      },
    },
  } as unknown as KillPorts;
  await killContainer(ports, {
    pod: aPod(),
    container: aContainer("main"),
    containerId: "c1",
    podIp: "10.0.0.1",
    message: "",
    ...request,
  });
}

async function killed(request: Partial<KillRequest> = {}, hook: number | Error = 0): Promise<readonly string[]> {
  const done = kill(request, hook);
  await clock.advance(100_000);
  await done;
  expect(clock.pending).toBe(0);
  return log;
}

const killing = "0: Normal Killing main: Stopping container main";
const hookRuns = '0: hook {"exec":{"command":["bye"]}} at 10.0.0.1 within 30 s';

test("a container is announced, then stopped within the pod's grace period", async () => {
  expect(await killed()).toEqual([killing, "0: stop c1 within 30 s"]);
});

test("a reason for the kill is the text of the event", async () => {
  expect((await killed({ message: "Container main failed liveness probe, will be restarted" }))[0]).toBe(
    "0: Normal Killing main: Container main failed liveness probe, will be restarted",
  );
});

test.each<[number | undefined, number | undefined, number]>([
  [undefined, undefined, 2],
  [undefined, 10, 10],
  [5, 10, 5],
  [1, 10, 2],
  [0, 10, 2],
])("%j s for the kill and %j s for the pod: the runtime gets %j s, never less than 2", async (kill, pod, seconds) => {
  const spec = { ...aPod().spec, terminationGracePeriodSeconds: pod } as never;
  const request = { pod: { ...aPod(), spec }, ...(kill !== undefined && { gracePeriodSeconds: kill }) };
  expect((await killed(request)).at(-1)).toBe(`0: stop c1 within ${seconds} s`);
});

test("the preStop hook runs before, within the grace period and of its time", async () => {
  expect(await killed({ container: withHook }, 4_000)).toEqual([killing, hookRuns, "4000: stop c1 within 26 s"]);
  expect(isHookAborted?.()).toBe(false);
});

test("without a grace period there is no preStop hook", async () => {
  const request = { container: withHook, gracePeriodSeconds: 0 };
  expect(await killed(request)).toEqual([killing, "0: stop c1 within 2 s"]);
});

test("a preStop hook that fails is an event and a line of the log; the container is stopped all the same", async () => {
  expect(await killed({ container: withHook }, new Error("exit 1"))).toEqual([
    killing,
    hookRuns,
    "0: PreStop hook failed: exit 1",
    "0: Warning FailedPreStopHook main: PreStopHook failed",
    "0: stop c1 within 30 s",
  ]);
});

test("a preStop hook that takes the whole grace period is aborted without an event", async () => {
  expect(await killed({ container: withHook }, 90_000)).toEqual([
    killing,
    hookRuns,
    "30000: PreStop hook failed: PreStop hook not completed in grace period of 30 s",
    "30000: stop c1 within 2 s",
  ]);
  expect(isHookAborted?.()).toBe(true);
});

test("a container waits for its turn, and not beyond the grace period", async () => {
  let free = (): void => undefined;
  const turn = new Promise<void>((resolve) => {
    free = resolve;
  });
  const done = kill({ turn });
  await clock.advance(7_500);
  expect(log).toEqual([killing]);
  free();
  await clock.settle();
  await done;
  expect(log).toEqual([killing, "7500: stop c1 within 23 s"]);
  expect(clock.pending).toBe(0);

  log = [];
  const other = kill({ turn: new Promise<void>(() => undefined) });
  await clock.advance(29_999);
  expect(log).toHaveLength(1);
  await clock.advance(1);
  await other;
  expect(log.at(-1)).toBe("37500: stop c1 within 2 s");
});

test("a container whose hook took the grace period does not wait for its turn", async () => {
  const turn = new Promise<void>(() => undefined);
  expect((await killed({ container: withHook, turn }, 30_000)).at(-1)).toBe("30000: stop c1 within 2 s");
});
