import { unsupported } from "@hooklet/utils";
import type { LogFile, LogOptions } from "./log-lines.js";

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
