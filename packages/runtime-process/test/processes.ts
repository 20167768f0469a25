/** Processes of this machine by their command lines. */
import { readdirSync, readFileSync } from "node:fs";
import { alive } from "./node.js";

export function processIds(fits: (words: string) => boolean): readonly number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      try {
        return (
          Number.isInteger(pid) &&
          alive(pid) &&
          fits(readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " "))
        );
      } catch {
        return false;
      }
    });
}
