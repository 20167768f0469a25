/** Figures as comparisons have them. Pure. */
import type { FigureTable } from "../records/figures.js";
import { failuresOf, type Outcome } from "../run/outcome.js";
import type { RunOptions } from "./options.js";

export interface CompareOptions {
  readonly with?: readonly string[];
  readonly set?: readonly string[];
  readonly sweep?: string;
  readonly minimise?: string;
  readonly maximise?: string;
  readonly until?: string;
  readonly seed?: string;
  readonly report?: string;
  readonly output?: "json";
}

export function timing({ until, seed }: RunOptions): RunOptions {
  return { ...(until === undefined ? {} : { until }), ...(seed === undefined ? {} : { seed }) };
}

/** What a scenario expects is a figure of its own here: of several configurations not all may come up to it. */
export function withFailures(outcome: Outcome): FigureTable {
  const [steps, faults] = [outcome.failedSteps.length, outcome.faults.length];
  return {
    ...outcome.figures,
    "expectations that fail": failuresOf(outcome).length - steps - faults,
    ...(steps > 0 && { "steps that could not be done": steps }),
    ...(faults > 0 && { "errors of plugins and strategies": faults }),
  };
}
