/**
 * The process of one run. File requests of a process are done by several threads, in an order that nobody chose; here they are done at
 * once, and those of open files by one thread (UV_THREADPOOL_SIZE, which only counts from the start of a process), so that the same
 * scenario gives the same bytes. Output goes to standard output, the outcome to the parent.
 */
import "./files-at-once.js";

import { rmSync } from "node:fs";
import { errorText, isNodeAgentError } from "@hooklet/core";
import { runJob, tryRestarts } from "./job.js";
import { printer } from "./output.js";
import type { Answer, Request } from "./protocol.js";

let rootDir: string | undefined;
/** Whoever started it has gone: nobody waits for the outcome, and nobody else clears up. */
const orphaned = (): never => {
  if (rootDir !== undefined) rmSync(rootDir, { recursive: true, force: true });
  process.exit(1);
};
process.once("disconnect", orphaned);
process.once("message", (message) => void answer(message as Request));

async function answer({ job, format }: Request): Promise<void> {
  rootDir = job.rootDir;
  const print = printer(format, process.stdout);
  let said: Answer;
  try {
    const listener = format === "none" ? undefined : print.record;
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
