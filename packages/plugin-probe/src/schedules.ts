/** When a worker makes its next step. Strategies are pure functions; times are monotonic milliseconds. Pure. */
import type { StrategyTable } from "@hooklet/core";

export interface ScheduleInput {
  /** `first`: the probe is new. `tick`: an attempt was due. `trigger`: an attempt was requested out of turn. */
  readonly reason: "first" | "tick" | "trigger";
  /** Monotonic milliseconds, as all times here. */
  readonly now: number;
  /** `periodSeconds` of the probe, in milliseconds. */
  readonly periodMilliseconds: number;
  /** `first`: when the pod came. Otherwise the time for which the current or next attempt was planned. */
  readonly due: number;
  /** When the agent started. */
  readonly agentStartedAt: number;
  /** From 0 up to 1, the same for each run, spread evenly over probes: for jitter. */
  readonly fraction: number;
  /** How many probes of the same period came before. */
  readonly index: number;
}

/** The time of the next step: for `first` at least `now`, otherwise after `now`. */
export type Schedule = (input: ScheduleInput) => number;

/**
 * The kubelet's ticker, which runs from the moment the pod was added; while the agent is younger than the period, it first sleeps a random
 * part of the period. A requested step restarts the period; ticks that a slow probe missed are left out.
 */
export const kubelet: Schedule = ({ reason, now, periodMilliseconds: period, due, agentStartedAt, fraction }) => {
  if (reason === "trigger") return now + period;
  if (reason === "tick") return after(due, period, now);
  const delay = due - agentStartedAt < period ? fraction * period : 0;
  return onOrAfter(due + delay, period, now);
};

/** Milliseconds. */
const BEAT = 500;

/**
 * Moves a worker's fraction of the period so that the part of the period that it sleeps when the agent is young ends on a
 * beat which all workers share: connections that are made together wake the agent once. The kubelet's own is random.
 */
export function onBeat(fraction: number, since: number, period: number): number {
  if (period < 4 * BEAT) return fraction;
  // A fraction next to 1 is rounded up to the period's end, which is the next period's beginning.
  const last = Math.ceil((since + period) / BEAT) - 1;
  const beat = Math.min(Math.floor((since + fraction * period) / BEAT), last) * BEAT;
  return (beat < since ? beat + BEAT - since : beat - since) / period;
}

const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** Each worker has its place in the period, as far as can be from those of the others: no bursts, whenever pods come. */
export const spread: Schedule = ({ reason, now, periodMilliseconds: period, due, index }) => {
  if (reason !== "first") return after(due, period, now);
  return onOrAfter(((index * GOLDEN) % 1) * period, period, now);
};

/** The first of start, start + period, ... that is not before `now`. */
function onOrAfter(start: number, period: number, now: number): number {
  return start >= now ? start : start + Math.ceil((now - start) / period) * period;
}

function after(start: number, period: number, now: number): number {
  return start > now ? start : start + (Math.floor((now - start) / period) + 1) * period;
}

export const schedules: StrategyTable<Schedule> = {
  kubelet: {
    description: "the kubelet's ticker with its start jitter",
    options: (z) => z.object({}),
    create: () => kubelet,
  },
  spread: {
    description: "evenly spaced phases over the period, no bursts",
    options: (z) => z.object({}),
    create: () => spread,
  },
};

/** 0 up to 1, the same for the same text: jitter that a simulation can repeat (FNV-1a). */
export function fractionOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  // The last characters reach the upper bits only after a further stir.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
