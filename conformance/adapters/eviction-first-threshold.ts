import { byUrgency, isSignal, resourceOf } from "@hooklet/plugin-eviction/internal";
import type { Adapter } from "../adapter.js";
import { only } from "./eviction.js";

interface Answer {
  readonly first?: string;
  readonly resource?: string;
}

interface Expected {
  readonly firstAnyOf: readonly string[];
  readonly resourceAnyOf: readonly string[];
}

export const adapter: Adapter<{ readonly signals: readonly string[] }> = {
  run(input): Answer {
    // Signals that no setting can name never become thresholds.
    const known = only("input", input, "signals").signals.filter(isSignal);
    const thresholds = known.map((signal) => ({ signal, value: { percentage: 1 }, gracePeriodSeconds: 0 }));
    const [first] = byUrgency(thresholds);
    return first === undefined ? {} : { first: first.signal, resource: resourceOf(first.signal) };
  },
  part: ({ first, resource }: Answer, { firstAnyOf, resourceAnyOf }: Expected) => ({
    firstAnyOf: first !== undefined && firstAnyOf.includes(first) ? firstAnyOf : [first].filter(Boolean),
    resourceAnyOf:
      resource !== undefined && resourceAnyOf.includes(resource) ? resourceAnyOf : [resource].filter(Boolean),
  }),
};
