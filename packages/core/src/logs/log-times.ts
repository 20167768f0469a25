import { unsupported } from "@hooklet/utils";
import type { LogFile, LogOptions } from "./log-lines.js";

/** @throws NodeAgentError UNSUPPORTED when times are asked of a file that has none */
export function assertTimes(log: Pick<LogFile, "format">, options: LogOptions): void {
  if (log.format === "cri") return;
  const name = options.timestamps ? "timestamps" : options.since === undefined ? undefined : "since";
  if (name === undefined) return;
  throw unsupported(
    `${name} cannot be used here: this runtime writes log files as they come, without times`,
    `Leave ${name} away.`,
  );
}
