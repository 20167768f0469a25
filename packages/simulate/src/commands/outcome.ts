/** A scenario again and again, each time in a process of its own: what it loads is as it is on disk. */
import { outcomeChanges } from "../print/changes.js";
import { failureText, finalLines, verdictText } from "../print/summary.js";
import { failuresOf, type Outcome } from "../run/outcome.js";
import { run } from "../subprocess/run-in-subprocess.js";
import { jobOf, type ScenarioContext } from "./options.js";

export interface RunAgain {
  readonly outcome: Outcome;
  /** The first time what came of it, then what is another. */
  readonly lines: readonly string[];
  readonly verdict: string;
  readonly holds: boolean;
}

/** Rejects with what is wrong with scenario, configuration or plugins. */
export async function runAgain(context: ScenarioContext, file: string, before: Outcome | undefined): Promise<RunAgain> {
  const outcome = await run(await jobOf(context, file, {}), "none");
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
