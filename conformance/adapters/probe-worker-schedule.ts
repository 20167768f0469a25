import { kubelet } from "@hooklet/plugin-probe";
import type { Adapter } from "../adapter.js";

interface Input {
  readonly periodSeconds: number;
  readonly secondsSinceKubeletStart?: number;
  readonly events?: readonly { readonly t: number; readonly e: "probe" | "manual" }[];
}

export const adapter: Adapter<Input> = {
  run({ periodSeconds, secondsSinceKubeletStart: age, events }) {
    const common = { periodMilliseconds: periodSeconds * 1000, agentStartedAt: 0, index: 0 };
    if (age !== undefined) {
      const now = age * 1000;
      // The worker's share of the jitter is even over 0 up to 1.
      const at = (fraction: number) => (kubelet({ ...common, reason: "first", now, due: now, fraction }) - now) / 1000;
      return { first: [at(0), at(0.5), at(1)] };
    }
    const next = (reason: "tick" | "trigger", now: number, due: number) =>
      kubelet({ ...common, reason, now: now * 1000, due: due * 1000, fraction: 0 }) / 1000;
    const probes: number[] = [];
    let due = Number.POSITIVE_INFINITY;
    for (const { t, e } of events ?? []) {
      while (due < t) {
        probes.push(due);
        due = next("tick", due, due);
      }
      probes.push(t);
      due = e === "manual" ? next("trigger", t, due) : next("tick", t, t);
    }
    return { probes, due, period: periodSeconds };
  },
  part(answer: Answer, expected: Expected) {
    if (answer.first !== undefined) return { first: answer.first };
    const { probes = [], due = 0, period = 0 } = answer;
    const more = Math.max(0, (expected.probes_at?.length ?? 0) - probes.length);
    return { probes_at: [...probes, ...Array.from({ length: more }, (_, i) => due + i * period)] };
  },
  expected({ first_delay: delay, probes_at }: Expected) {
    if (delay === undefined) return { probes_at };
    const { min, max = delay.max_exclusive ?? 0 } = delay;
    return { first: [min, (min + max) / 2, max] };
  },
};

interface Answer {
  readonly first?: readonly number[];
  readonly probes?: readonly number[];
  readonly due?: number;
  readonly period?: number;
}

interface Expected {
  readonly first_delay?: { readonly min: number; readonly max?: number; readonly max_exclusive?: number };
  readonly probes_at?: readonly number[];
}
