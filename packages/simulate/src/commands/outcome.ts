/** A scenario again and again, each time in a process of its own: what it loads is as it is on disk. */

import { failureText, finalLines, outcomeChanges, verdictText } from "../print/summary.js";
import type { FigureTable } from "../records/figures.js";
import { failuresOf, type Outcome } from "../run/outcome.js";
import { prepare, run } from "../subprocess/run-in-subprocess.js";
import { jobOf, type RunOptions, type ScenarioContext } from "./options.js";

// Figures as comparisons have them.

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

export interface RunAgain {
  readonly outcome: Outcome;
  /** The first time what came of it, then what is another. */
  readonly lines: readonly string[];
  readonly verdict: string;
  readonly holds: boolean;
}

/** Runs the scenario. Rejects with what is wrong with it, its configuration or plugins. */
export type Runs = (before: Outcome | undefined) => Promise<RunAgain>;

/** @param prepares the process of the next run, as soon as one is over: a result comes sooner then */
export function runsOf(context: ScenarioContext, file: string, prepares: boolean): Runs {
  let prepared: ReturnType<typeof prepare>;
  return async (before) => {
    const job = await jobOf(context, file, {});
    try {
      return runAgain(file, before, await run(job, "none", {}, prepared));
    } finally {
      prepared = prepares ? prepare(job.host) : undefined;
    }
  };
}

function runAgain(file: string, before: Outcome | undefined, outcome: Outcome): RunAgain {
  const failures = failuresOf(outcome);
  const first = (): readonly string[] => [
    ...finalLines(outcome.final),
    ...failures.map((one) => failureText(file, one)),
  ];
  return {
    outcome,
    lines: before === undefined ? first() : outcomeChanges(file, before, outcome),
    verdict: verdictText(outcome),
    holds: failures.length === 0,
  };
}
