/** A scenario again and again, each time in a process of its own: what it loads is as it is on disk. */
import { outcomeChanges } from "../print/changes.js";
import { failureText, finalLines, verdictText } from "../print/summary.js";
import { failuresOf, type Outcome } from "../run/outcome.js";
import { prepare, run } from "../subprocess/run-in-subprocess.js";
import { jobOf, type ScenarioContext } from "./options.js";

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
