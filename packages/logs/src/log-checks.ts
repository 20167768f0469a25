/** Checks of a log, and of what is asked of it. */

import path from "node:path";
import { disk } from "@hooklet/linux";
import { type Clock, NodeAgentError, sleep, unsupported, whenGone } from "@hooklet/utils";
import type { LogFile, LogOptions } from "./log-lines.js";

// A log file that has to be there and is not.

/** While a log is rotated there is none for a moment: until the runtime has opened the new one. */
const LOOKS = 5;
const LOOK_AGAIN_MILLISECONDS = 100;

/**
 * For a container that has started: its runtime created the file. The message is that of kubelet/cri/runtime, ReadLogs.
 * @throws NodeAgentError NOT_FOUND
 */
export async function assertLogThere(clock: Clock, log: Pick<LogFile, "path">): Promise<void> {
  for (let look = 1; ; look += 1) {
    const missing = await firstMissing(log.path);
    if (missing === undefined) return;
    if (look === LOOKS) throw logGone(log.path, missing);
    await sleep(clock, LOOK_AGAIN_MILLISECONDS);
  }
}

/** The file, or the highest folder on the way to it that is not there. */
async function firstMissing(file: string): Promise<string | undefined> {
  let missing: string | undefined;
  for (let at = file; await isGone(at); at = path.dirname(at)) missing = at;
  return missing;
}

function isGone(file: string): Promise<boolean> {
  return whenGone(true, async () => {
    await disk.lstat(file);
    return false;
  });
}

function logGone(file: string, missing: string): NodeAgentError {
  const what = `failed to try resolving symlinks in path ${JSON.stringify(file)}: lstat ${missing}: no such file or directory`;
  const why =
    "The container has begun, so its log was removed: by hand, or by another agent whose podLogsDir is the same";
  const instead =
    "Give each agent a rootDir of its own and no two the same node.podLogsDir; the container's next start has a log again.";
  return new NodeAgentError("NOT_FOUND", `${what}. ${why}. ${instead}`);
}

/** @throws NodeAgentError UNSUPPORTED when times are requested of a file without times */
export function assertTimes(log: Pick<LogFile, "format">, options: LogOptions): void {
  if (log.format === "cri") return;
  const name = options.timestamps ? "timestamps" : options.since === undefined ? undefined : "since";
  if (name === undefined) return;
  throw unsupported(
    `${name} cannot be used here: this runtime writes log files as they come, without times`,
    `Leave ${name} away.`,
  );
}
