/** The process of one run. Output goes to standard output, the outcome to the parent. */
import { errorText, isNodeAgentError } from "@hooklet/core";
import { systemClock } from "@hooklet/utils";
import type { SimulationRecord } from "../records/record.js";
import { runJob, tryRestarts, warmUp } from "./job.js";
import { printer } from "./output.js";
import { type Answer, BEAT, type Beat, type Request, type WarmUp } from "./protocol.js";

/** The parent process is gone: the outcome is not needed any more. */
const orphaned = (): never => process.exit(1);
process.once("disconnect", orphaned);
let ready: Promise<unknown> = Promise.resolve();
process.on("message", (message) => {
  const said = message as Request | WarmUp;
  // What is wrong with it, the run itself says.
  if ("warmUp" in said) ready = warmUp(said.warmUp).catch(() => undefined);
  else {
    beat();
    void ready.then(() => answer(said));
  }
});

function beat(): void {
  if (!process.connected) return;
  process.send?.({ beat: true } satisfies Beat);
  systemClock.schedule(BEAT, beat);
}

/** Virtual seconds between two words of how far it is. */
const STEP = 10;

async function answer({ job, format }: Request): Promise<void> {
  const print = printer(format, process.stdout);
  let said: Answer;
  try {
    const reported = format === "none" ? undefined : print.record;
    let last = 0;
    const listener = (record: SimulationRecord): void => {
      reported?.(record);
      if (record.t < last + STEP) return;
      last = record.t;
      process.send?.({ progress: { t: record.t } });
    };
    const outcome = await (job.tryRestarts ? tryRestarts : runJob)(job, listener);
    print.end(job.file, outcome);
    said = { outcome };
  } catch (error) {
    said = { error: errorText(error), ...(isNodeAgentError(error) ? { code: error.code } : stackOf(error)) };
  }
  process.off("disconnect", orphaned);
  // The parent ends its reading once all of the output has been taken.
  process.stdout.write("", () => process.send?.(said, () => process.disconnect()));
}

function stackOf(error: unknown): { readonly stack?: string } {
  const { stack } = error as Error;
  return stack === undefined ? {} : { stack };
}
