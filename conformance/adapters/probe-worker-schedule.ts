import {
  kubelet,
  newWorker,
  next,
  ProbedPods,
  ProbeWorker,
  probeSpec,
  type Result,
  ResultCache,
  Scheduler,
} from "@hooklet/plugin-probe/internal";
import { VirtualClock } from "@hooklet/sim";
import type { Adapter } from "../adapter.js";
import { toPod } from "./pods.js";

type Event = { readonly t: number; readonly e: "probe" | "manual" };

interface Input {
  readonly periodSeconds?: number;
  readonly secondsSinceKubeletStart?: number;
  readonly events?: readonly (Event | string)[];
  readonly pending_capacity?: number;
}

export const adapter: Adapter<Input> = {
  keys: ["periodSeconds", "secondsSinceKubeletStart", "events", "pending_capacity"],
  async run({ periodSeconds = 10, secondsSinceKubeletStart: age, events = [], pending_capacity: capacity }) {
    const words = events.filter((event) => typeof event === "string");
    if (words.length > 0) return reported(words);
    const timed = events.filter((event) => typeof event !== "string");
    if (capacity !== undefined) return { extra: await extraProbes(timed, capacity, periodSeconds) };
    const common = { periodMilliseconds: periodSeconds * 1000, agentStartedAt: 0, index: 0 };
    if (age !== undefined) {
      const now = age * 1000;
      // The worker's share of the jitter is even over 0 up to 1.
      const at = (fraction: number) => (kubelet({ ...common, reason: "first", now, due: now, fraction }) - now) / 1000;
      return { first: [at(0), at(0.5), at(1)] };
    }
    const upcoming = (reason: "tick" | "trigger", now: number, due: number) =>
      kubelet({ ...common, reason, now: now * 1000, due: due * 1000, fraction: 0 }) / 1000;
    const probes: number[] = [];
    let due = Number.POSITIVE_INFINITY;
    for (const { t, e } of timed) {
      while (due < t) {
        probes.push(due);
        due = upcoming("tick", due, due);
      }
      probes.push(t);
      due = e === "manual" ? upcoming("trigger", t, due) : upcoming("tick", t, t);
    }
    return { probes, due, period: periodSeconds };
  },
  part(answer: Answer, expected: Expected) {
    if (answer.worker_exists !== undefined) return { result: answer.result, worker_exists: answer.worker_exists };
    if (answer.extra !== undefined) return { extra_probes: answer.extra };
    if (answer.first !== undefined) return { first: answer.first };
    const { probes = [], due = 0, period = 0 } = answer;
    const more = Math.max(0, (expected.probes_at?.length ?? 0) - probes.length);
    return { probes_at: [...probes, ...Array.from({ length: more }, (_, i) => due + i * period)] };
  },
  expected(expected: Expected) {
    const { first_delay: delay } = expected;
    if (delay === undefined) return expected;
    const { min, max = delay.max_exclusive ?? 0 } = delay;
    return { first: [min, (min + max) / 2, max] };
  },
};

/** Stops, successes and the pod's end as a worker's owner and its machine take them. */
function reported(words: readonly string[]): Answer {
  const cache = new ResultCache();
  const pods = new ProbedPods<string>({ make: () => CONTAINER, gone: (id) => cache.remove(id) });
  pods.add(POD);
  const rule = { kind: "liveness", initialDelaySeconds: 0, successThreshold: 1, failureThreshold: 1 } as const;
  const end = (): void => pods.end(POD.metadata.uid, "main", "liveness");
  for (const word of words) {
    if (word === "probe success") cache.set(CONTAINER, "success");
    else if (word === "stop") end();
    else if (word === "pod failed") {
      const failed = { phase: "Failed", deletionRequested: false, container: undefined };
      if (next(rule, newWorker, { type: "look", pod: failed }).act === "end") end();
    } else throw new Error(`unknown event: ${word}`);
  }
  return { result: cache.get(CONTAINER) ?? null, worker_exists: [...pods.all()].length > 0 };
}

const CONTAINER = "test://c1";
const POD = toPod({
  metadata: { uid: "u", name: "p" },
  spec: { containers: [{ name: "main", image: "i", livenessProbe: { tcpSocket: { port: 1 } } }] },
});

/** How many rounds a real worker makes beyond those of its period. */
async function extraProbes(events: readonly Event[], capacity: number, periodSeconds: number): Promise<number> {
  if (capacity !== 1) throw new Error(`a worker keeps 1 trigger that waits, not ${capacity}`);
  const clock = new VirtualClock();
  let rounds = 0;
  const running = { id: CONTAINER, state: "running", started: true, runningForSeconds: 60, willRestart: true } as const;
  const worker = new ProbeWorker({
    podUid: "u",
    container: "main",
    spec: probeSpec("readiness", { tcpSocket: { port: 1 }, periodSeconds }),
    metrics: { probed: () => {}, remove: () => {} },
    share: { fraction: 0, index: 0 },
    ports: {
      clock,
      scheduler: new Scheduler(clock),
      schedule: kubelet,
      agentStartedAt: clock.monotonic() - 3_600_000,
      look: () => ({ phase: "Running", deletionRequested: false, container: { ...running, adopted: false } }),
      async round() {
        rounds++;
        return { round: { result: "success", error: false, output: "" }, milliseconds: 1 };
      },
      changed: () => {},
      ended: () => {},
    },
  });
  worker.begin(clock.monotonic());
  await clock.advance(0);
  const regular = rounds;
  let at = 0;
  for (const { t, e } of events) {
    if (t > at) await clock.advance((t - at) * 1000);
    at = t;
    if (e === "manual") worker.trigger();
  }
  await clock.advance(1_000);
  worker.stop();
  return rounds - regular;
}

interface Answer {
  readonly extra?: number;
  readonly result?: Result | null;
  readonly worker_exists?: boolean;
  readonly first?: readonly number[];
  readonly probes?: readonly number[];
  readonly due?: number;
  readonly period?: number;
}

interface Expected {
  readonly first_delay?: { readonly min: number; readonly max?: number; readonly max_exclusive?: number };
  readonly probes_at?: readonly number[];
}
