/** When `run --once` has come to its end. */
import { expect, test } from "@jest/globals";
import { FakeAgent } from "../../../../server/test/fake-agent.js";
import { anEvent, aPod } from "../../../../server/test/samples.js";
import { VirtualClock } from "../../../../sim/src/clock/virtual-clock.js";
import { allSettled, failures } from "../../../src/run/once.js";

const slow = aPod("slow", { status: { phase: "Pending", conditions: [], containerStatuses: [] } });
const failed = (name: string, reason?: string) =>
  aPod(name, { status: { phase: "Failed", conditions: [], ...(reason !== undefined && { reason }) } });

function begun(pods: Parameters<FakeAgent["setPods"]>[0], timeout = 10_000) {
  const clock = new VirtualClock({ start: 0 });
  const api = new FakeAgent();
  api.setPods(pods);
  const given = new AbortController();
  const seen: { outcome?: unknown; error?: unknown } = {};
  allSettled(api, clock, timeout, given.signal).then(
    (outcome) => {
      seen.outcome = outcome;
    },
    (error: unknown) => {
      seen.error = error;
    },
  );
  return { api, clock, given, seen };
}

test("pods that are Ready, or have ended, have settled once they were so for a second", async () => {
  const { clock, seen } = begun([aPod("web"), failed("job")]);
  await clock.advance(999);
  expect(seen.outcome).toBeUndefined();
  await clock.advance(1);
  expect(seen.outcome).toEqual({ kind: "settled" });
});

test("a pod that is not Ready any more begins the second again", async () => {
  const { api, clock, seen } = begun([aPod("web")]);
  await clock.advance(900);
  api.setPods([slow]);
  await clock.advance(100);
  api.setPods([aPod("web")]);
  await clock.advance(900);
  expect(seen.outcome).toBeUndefined();
  await clock.advance(100);
  expect(seen.outcome).toEqual({ kind: "settled" });
});

test("what did not settle in time is named with its status", async () => {
  const { api, clock, seen } = begun([aPod("web"), slow], 3_000);
  await clock.advance(2_999);
  expect([seen.outcome, api.listeners]).toEqual([undefined, 1]);
  await clock.advance(1);
  expect(seen.outcome).toEqual({ kind: "timeout", waitingFor: ["slow (Pending)"] });
  expect(api.listeners).toBe(0);
});

test("where pods are Ready for too short a time, that is what is waited for", async () => {
  const { clock, seen } = begun([aPod("web")], 500);
  await clock.advance(500);
  expect(seen.outcome).toEqual({ kind: "timeout", waitingFor: ["pods that stay Ready for a second"] });
});

test("parts of the agent that are not ready are waited for, and named", async () => {
  const { api, clock, seen } = begun([], 2_000);
  api.ready = async () => ({
    ok: false,
    parts: [
      { name: "sources", ok: false, message: "not read yet" },
      { name: "runtime", ok: true },
      { name: "plugin x", ok: false },
    ],
  });
  api.setPods([]);
  await clock.advance(2_000);
  expect(seen.outcome).toEqual({ kind: "timeout", waitingFor: ["sources: not read yet", "plugin x: not ready"] });
});

test("an interruption ends the wait", async () => {
  const { clock, given, seen } = begun([slow]);
  await clock.advance(100);
  given.abort(new Error("Ctrl-C"));
  await clock.advance(0);
  expect(seen.error).toBeInstanceOf(Error);
});

test("pods that failed, and manifests that cannot be used, are failures", () => {
  const api = new FakeAgent();
  api.setPods([aPod("web"), failed("job"), failed("big", "Evicted")]);
  const told = [
    anEvent("x", "InvalidManifest", { message: "x.yaml: no kind" }),
    anEvent("y", "BackOff", { message: "no" }),
  ];
  api.events = () => told;
  expect(failures(api)).toEqual(["pod job failed", "pod big failed (Evicted)", "x.yaml: no kind"]);
});
