/** `hooklet simulate SCENARIO`. */
import { tell } from "@hooklet/cli/extend";
import { clockText } from "../print/clock-text.js";
import { failureText } from "../print/summary.js";
import { Lanes } from "../report/lanes.js";
import { failuresOf, type Outcome } from "../run/outcome.js";
import type { Format } from "../subprocess/protocol.js";
import { run } from "../subprocess/run-in-subprocess.js";
import { jobOf, type RunOptions, type ScenarioContext } from "./options.js";
import { reportedRun, SAMPLES, writeReport } from "./report.js";
import { Waiting } from "./waiting.js";

export interface SimulateOptions extends RunOptions {
  readonly output: Exclude<Format, "none" | "events">;
  /** The whole story, and not only what came of it. */
  readonly events?: boolean;
  readonly tryRestarts?: boolean;
  readonly report?: string;
}

export async function simulateCommand(
  context: ScenarioContext,
  file: string,
  options: SimulateOptions,
): Promise<number> {
  const { io } = context;
  const job = {
    ...(await jobOf(context, file, options)),
    ...(options.tryRestarts ? { tryRestarts: true } : {}),
    ...(options.report === undefined ? {} : { samples: SAMPLES }),
  };
  const lanes = new Lanes();
  const waiting = new Waiting(context, [file]);
  const outcome = await waiting.during(
    run(job, options.events && options.output === "table" ? "events" : options.output, {
      out: waiting.before(io.stdout),
      progress: (t) => waiting.reached(t),
      ...(options.report !== undefined && { record: (one) => lanes.add(one) }),
    }),
  );
  if (options.report !== undefined) {
    const runs = [reportedRun(file, "run", outcome, lanes, outcome.figures)];
    await writeReport(io.cwd(), options.report, `hooklet simulate ${file}`, [
      { name: file, description: outcome.description, runs, partings: [] },
    ]);
  }
  for (const problem of outcome.problems) await tell(io, `the agent logged an error: ${problem}`);
  const failures = failuresOf(outcome);
  // The table has them at its end.
  if (options.output !== "table") for (const one of failures) await tell(io, failureText(file, one));
  const restarts = await tellRestarts(context, outcome);
  return failures.length === 0 && restarts ? 0 : 1;
}

/** False: some restart changes the end. */
async function tellRestarts({ io }: ScenarioContext, { tried }: Outcome): Promise<boolean> {
  if (tried === undefined) return true;
  const changed = tried.filter(({ differences }) => differences.length > 0);
  const which = changed.length === 0 ? "none changes" : `${changed.length} change`;
  await tell(io, `${tried.length} restarts of the agent tried, one a run: ${which} the end`);
  for (const { t, differences } of changed) {
    for (const text of differences) await tell(io, `  restart at ${clockText(t)}: ${text}`);
  }
  return changed.length === 0;
}
