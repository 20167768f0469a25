import type { Pod } from "@hooklet/manifest";
import { VirtualClock } from "@hooklet/testkit";
import { beforeEach, expect, test } from "@jest/globals";
import type { Eviction } from "../../../../src/plugin/contract.js";
import { type EvictionPorts, Evictions } from "../../../../src/pod/life/evictions.js";
import type { PodEvent } from "../../../../src/pod/state.js";
import { aPod } from "../../../pod/pods.js";

const eviction: Eviction = { reason: "Evicted", message: "the disk is full" };
const { uid } = aPod().metadata;
const critical = 2_000_000_000;

let clock: VirtualClock;
let pod: Pod;
let life: string;
let awaited: Pod[];
let log: string[];
let sent: PodEvent[];
let decisions: object[];
let waiting: (() => void)[];
beforeEach(() => {
  clock = new VirtualClock();
  pod = aPod();
  life = "active";
  awaited = [];
  log = [];
  sent = [];
  decisions = [];
  waiting = [];
});

function evictions(): Evictions {
  const worker = {
    get pod() {
      return pod;
    },
    get state() {
      return { pod, life: { kind: life } };
    },
    dispatch: (event: PodEvent) => sent.push(event),
  };
  const ports = {
    clock,
    events: {
      pod: (_: unknown, type: string, reason: string, text: string) => log.push(`${type} ${reason}: ${text}`),
    },
    worker: (asked: string) => (asked === uid ? worker : undefined),
    awaited: () => awaited,
    until: (predicate: () => boolean, signal: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        waiting.push(() => predicate() && resolve());
        signal.addEventListener("abort", () => reject(signal.reason));
      }),
    decisions: (plugin: string) => ({ record: (decision: object) => decisions.push({ plugin, ...decision }) }),
  };
  return new Evictions(ports as unknown as EvictionPorts);
}

function becomes(kind: string): void {
  life = kind;
  for (const look of waiting) look();
}

test("an evicted pod has the event, the cause with its condition and grace period, and a decision", async () => {
  const condition = { type: "DisruptionTarget", reason: "TerminationByKubelet", message: "m" };
  const decision = { strategy: "order", considered: [] };
  const done = evictions().evict(uid, { ...eviction, condition, gracePeriodSeconds: 4, decision }, "disk");
  becomes("terminating");
  becomes("ended");
  await done;
  expect(log).toEqual(["Warning Evicted: the disk is full"]);
  const cause = { kind: "evicted", by: "disk", ...eviction, condition };
  expect(sent).toEqual([{ type: "terminate", cause, at: clock.now(), gracePeriodSeconds: 4 }]);
  const subject = "pod/default/web-node1";
  expect(decisions).toEqual([{ plugin: "disk", ...decision, subject, outcome: "evicted: Evicted: the disk is full" }]);
  expect(clock.pending).toBe(0);
});

test("an eviction that says no more has none of that", async () => {
  const done = evictions().evict(uid, { ...eviction, lasting: false }, "disk");
  becomes("ended");
  await done;
  const cause = { kind: "evicted", by: "disk", ...eviction, lasting: false };
  expect(sent).toEqual([{ type: "terminate", cause, at: clock.now() }]);
  expect(decisions).toMatchObject([{ strategy: "evict", considered: [] }]);
});

test("a pod that does not end has 1.5 times its grace period, then an event and an error", async () => {
  const outcome = evictions()
    .evict(uid, eviction, "disk")
    .catch((error: { code: string }) => error.code);
  becomes("terminating");
  await clock.advance(44_999);
  expect(log).toHaveLength(1);
  await clock.advance(1);
  expect(await outcome).toBe("KILL_TIMEOUT");
  expect(log.slice(1)).toEqual([
    "Warning ExceededGracePeriod: Container runtime did not kill the pod within specified grace period.",
  ]);
});

test("while a pod ends another eviction waits for the same end; only a grace period is passed on", async () => {
  const all = evictions();
  const first = all.evict(uid, eviction, "disk");
  becomes("terminating");
  const second = all.evict(uid, { ...eviction, reason: "Other" }, "memory");
  const third = all.evict(uid, { ...eviction, gracePeriodSeconds: 0 }, "memory");
  expect(sent.map((event) => (event as { gracePeriodSeconds?: number }).gracePeriodSeconds)).toEqual([undefined, 0]);
  const outcome = "is being evicted already";
  expect(decisions.slice(1)).toMatchObject([{ outcome }, { outcome }]);
  becomes("ended");
  await Promise.all([first, second, third]);
  const late = all.evict(uid, eviction, "disk");
  becomes("ended");
  await late;
  expect(decisions.at(-1)).toMatchObject({ outcome: "has ended already" });
});

test.each<[string, string, Partial<Eviction>, number]>([
  ["is being stopped is waited for", "terminating", {}, 0],
  ["is being stopped gets less time", "terminating", { gracePeriodSeconds: 1 }, 1],
  ["has ended is left alone", "ended", { gracePeriodSeconds: 1 }, 0],
  ["is gone is left alone", "gone", { gracePeriodSeconds: 1 }, 0],
])("a pod that %s, without an event", async (_, kind, more, times) => {
  life = kind;
  const done = evictions().evict(uid, { ...eviction, ...more }, "disk");
  const outcome = kind === "terminating" ? "is being stopped already" : "has ended already";
  expect(decisions).toMatchObject([{ outcome }]);
  becomes("gone");
  await done;
  expect([log, sent.length]).toEqual([[], times]);
});

test.each<[string, object, Partial<Eviction>, string]>([
  ["a critical pod", { priority: critical }, {}, "it is critical (static, or of a system priority)"],
  [
    "a pod of the same priority for another one",
    { priority: 5 },
    { preemptor: aPod({ priority: 5 }, { name: "other" }) },
    "pod default/other may not preempt it",
  ],
])("%s is not evicted, and that is a decision", async (_, spec, more, why) => {
  pod = aPod(spec);
  const done = evictions().evict(uid, { ...eviction, ...more }, "disk");
  await expect(done).rejects.toMatchObject({ code: "EVICTION_REFUSED", message: expect.stringContaining(why) });
  expect(decisions).toMatchObject([{ outcome: `not evicted: ${why}` }]);
  expect([log, sent]).toEqual([[], []]);
});

test("a pod of less priority is evicted for a critical one, and the decision names that", async () => {
  const preemptor = aPod({ priority: critical }, { name: "other" });
  const done = evictions().evict(uid, { ...eviction, preemptor }, "disk");
  becomes("ended");
  await done;
  expect(decisions).toMatchObject([{ outcome: "evicted for pod default/other: Evicted: the disk is full" }]);
});

test("an unconditional eviction passes the protection, without an event", async () => {
  pod = aPod({ priority: critical });
  life = "pending";
  const done = evictions().evict(uid, { ...eviction, unconditional: true }, "disk");
  becomes("ended");
  await done;
  expect([log, sent.length]).toEqual([[], 1]);
});

test("an unknown pod is no pod; one whose source has not spoken yet is not evicted", async () => {
  await expect(evictions().evict("u2", eviction, "disk")).rejects.toMatchObject({ code: "NOT_FOUND" });
  awaited = [aPod({}, { uid: "u2", name: "early" })];
  await expect(evictions().evict("u2", eviction, "disk")).rejects.toThrow(
    /default\/early.*it runs from before the agent's start, and its source has not spoken yet/,
  );
  await expect(evictions().evict("u3", eviction, "disk")).rejects.toMatchObject({ code: "NOT_FOUND" });
});
