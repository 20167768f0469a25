import { expect, test } from "@jest/globals";
import { FakeAgent } from "../../../../server/test/fake-agent.js";
import { anEvent, aPod } from "../../../../server/test/samples.js";
import { VirtualClock } from "../../../../sim/src/clock/virtual-clock.js";
import { allSettled, failures } from "../../../src/run/once.js";
import { listenForSignals, stopPods } from "../../../src/run/stopping.js";
import { fakeIo } from "../../binary.js";

const pending = aPod("slow", { status: { phase: "Pending", conditions: [], containerStatuses: [] } });
const failed = aPod("bad", { status: { phase: "Failed", reason: "OutOfcpu", conditions: [] } });
const never = new AbortController().signal;
const nothing = async (): Promise<void> => undefined;
const forever = new Promise<void>(() => undefined);

test("once: settled when every pod has been Ready or ended for a second", async () => {
  const clock = new VirtualClock();
  const api = new FakeAgent();
  api.setPods([aPod("web"), failed]);
  const settled = allSettled(api, clock, 60_000, never);
  await clock.advance(500);
  api.setPods([aPod("web"), pending]);
  await clock.advance(5_000);
  api.setPods([aPod("web"), aPod("slow")]);
  await clock.advance(1_500);
  expect(await settled).toEqual({ kind: "settled" });
  expect(clock.monotonic()).toBeLessThan(60_000);
});

test("once: a container that is Ready for a moment only is not settled", async () => {
  const clock = new VirtualClock();
  const api = new FakeAgent();
  const crashed = aPod("web", { status: { conditions: [] } });
  const settled = allSettled(api, clock, 4_000, never);
  for (let second = 0; second < 5; second += 1) {
    api.setPods([second % 2 === 1 ? aPod("web") : crashed]);
    await clock.advance(900);
  }
  expect(await settled).toEqual({ kind: "timeout", waitingFor: [expect.stringContaining("web")] });
});

test("once: nothing is settled while a source is not read", async () => {
  const clock = new VirtualClock();
  const api = new FakeAgent();
  api.healthReport = { ok: false, parts: [{ name: "sources", ok: false, message: "not read yet: http" }] };
  const settled = allSettled(api, clock, 2_000, never);
  await clock.advance(3_000);
  expect(await settled).toEqual({ kind: "timeout", waitingFor: ["sources: not read yet: http"] });
});

test("once: leaves no timer and no listener behind", async () => {
  const clock = new VirtualClock();
  const api = new FakeAgent();
  const settled = allSettled(api, clock, 2_000, never);
  await clock.advance(3_000);
  await settled;
  expect([clock.pending, api.listeners]).toEqual([0, 0]);
});

test("once: a failed pod and a manifest that cannot be used are failures", () => {
  const api = new FakeAgent();
  api.setPods([aPod("web"), failed]);
  api.emit(anEvent("node1", "InvalidManifest", { message: "web.yaml:3: no" }));
  expect(failures(api)).toEqual(["pod bad failed (OutOfcpu)", "web.yaml:3: no"]);
});

test("stopping says which pods it waits for, at most once a second", async () => {
  const clock = new VirtualClock();
  const api = new FakeAgent();
  api.setPods(["a", "b", "c", "d", "e"].map((name) => aPod(name)));
  const said: string[] = [];
  let done: () => void = () => undefined;
  const shutdown = (): Promise<void> =>
    new Promise((resolve) => {
      done = resolve;
    });
  const stopping = stopPods(
    { io: { ...fakeIo(), clock }, api, shutdown, killAll: nothing, say: (text) => said.push(text) },
    forever,
  );
  api.setPods(["c", "d", "e"].map((name) => aPod(name)));
  api.setPods([aPod("e")]);
  await clock.advance(1_000);
  // It changed, and is still the one that is waited for.
  api.setPods([aPod("e")]);
  await clock.advance(5_000);
  api.setPods([]);
  done();
  expect(await stopping).toBe(true);
  expect(said).toEqual([
    "Waiting for pods a, b, c and 2 more to stop. Ctrl-C again kills at once.",
    "Waiting for pod e to stop. Ctrl-C again kills at once.",
  ]);
  expect([api.listeners, clock.pending]).toEqual([0, 0]);
});

test("what is waited for is named once, at most three by name, and nothing where there is no pod", async () => {
  const clock = new VirtualClock();
  const api = new FakeAgent();
  const said: string[] = [];
  const stopping = stopPods(
    { io: { ...fakeIo(), clock }, api, shutdown: () => forever, killAll: nothing, say: (text) => said.push(text) },
    new Promise((resolve) => clock.schedule(60_000, resolve)),
  );
  expect(said).toEqual([]);
  for (const names of [["a", "b", "c", "d", "e"], ["e", "d", "c", "b", "a"], ["a", "b", "c"], ["a"], ["a"], []]) {
    api.setPods(names.map((name) => aPod(name)));
    await clock.advance(5_000);
  }
  const waits = (names: string): string => `Waiting for ${names} to stop. Ctrl-C again kills at once.`;
  expect(said).toEqual([
    waits("pods a, b, c and 2 more"),
    waits("pods e, d, c and 2 more"),
    waits("pods a, b, c"),
    waits("pod a"),
  ]);
  await clock.advance(60_000);
  expect([await stopping, said.at(-1), clock.pending, api.listeners]).toEqual([false, "Killing.", 0, 0]);
});

test("a second Ctrl-C shuts down without grace, and does not wait forever", async () => {
  const clock = new VirtualClock();
  const api = new FakeAgent();
  api.setPods([aPod("web")]);
  const graces: (number | undefined)[] = [];
  let kill: () => void = () => undefined;
  const killed = new Promise<void>((resolve) => {
    kill = resolve;
  });
  const shutdown = (grace?: number): Promise<void> => {
    graces.push(grace);
    return forever;
  };
  let killedAll = 0;
  const killAll = async (): Promise<void> => {
    killedAll += 1;
  };
  const stopping = stopPods({ io: { ...fakeIo(), clock }, api, shutdown, killAll, say: () => undefined }, killed);
  kill();
  await clock.advance(10_000);
  expect(await stopping).toBe(false);
  expect([graces, killedAll]).toEqual([[undefined, 0], 1]);
});

test("the first signal says how to end, the second Ctrl-C kills, the third ends the process", async () => {
  const io = fakeIo();
  const signals = listenForSignals(io);
  signals.booted();
  io.signals.emit("SIGINT");
  expect(await signals.first).toEqual({ kind: "interrupt" });
  io.signals.emit("SIGINT");
  await signals.second;
  expect(io.exits).toEqual([]);
  io.signals.emit("SIGINT");
  expect(io.exits).toEqual([130]);
  signals.release();
  expect(io.signals.listenerCount("SIGINT") + io.signals.listenerCount("SIGTERM")).toBe(0);
});

test.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
])("a second signal, %s, ends a process whose agent does not come up", async (signal, code) => {
  const io = fakeIo();
  const signals = listenForSignals(io);
  io.signals.emit("SIGTERM");
  expect(io.exits).toEqual([]);
  io.signals.emit(signal);
  expect(io.exits).toEqual([code]);
  signals.release();
});

test("SIGTERM ends the agent and not the pods", async () => {
  const io = fakeIo();
  const signals = listenForSignals(io);
  io.signals.emit("SIGTERM");
  expect(await signals.first).toEqual({ kind: "terminate" });
  signals.release();
});

test("a terminal that is closed stops the pods, as Ctrl-C does; SIGHUP without a terminal asks for a reload", async () => {
  const io = fakeIo();
  Object.assign(io.stdout, { isTTY: true });
  const signals = listenForSignals(io);
  io.signals.emit("SIGHUP");
  expect(await signals.first).toEqual({ kind: "hangup" });
  signals.release();
  const without = fakeIo();
  const heard = listenForSignals(without);
  let reloads = 0;
  heard.onReload(() => {
    reloads += 1;
  });
  without.signals.emit("SIGHUP");
  without.signals.emit("SIGHUP");
  expect(reloads).toBe(2);
  heard.release();
});
