/** `hooklet simulate SCENARIO`. */
import { type Context, printLine } from "@hooklet/cli/extend";
import type { Format } from "../apart/protocol.js";
import { run } from "../apart/run-apart.js";
import { failureText } from "../print/summary.js";
import { failuresOf } from "../run/outcome.js";
import { jobOf, type RunOptions } from "./options.js";

export interface SimulateOptions extends RunOptions {
  readonly output: Exclude<Format, "none">;
}

export async function simulateCommand(context: Context, file: string, options: SimulateOptions): Promise<number> {
  const { io } = context;
  const outcome = await run(jobOf(context, file, options), options.output, { out: io.stdout });
  for (const problem of outcome.problems) await printLine(io.stderr, `the agent logged an error: ${problem}`);
  const failures = failuresOf(outcome);
  // The table has them at its end.
  if (options.output !== "table") for (const one of failures) await printLine(io.stderr, failureText(file, one));
  return failures.length === 0 ? 0 : 1;
}
