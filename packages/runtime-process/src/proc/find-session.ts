import { readdirSync } from "node:fs";
import { readStat } from "./stat.js";

/** Pids of the living processes of a session. A look over /proc. */
export function findSession(session: number): number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      if (!Number.isInteger(pid) || pid <= 1) return false;
      const stat = readStat(pid);
      return stat !== undefined && stat.session === session && stat.state !== "Z" && stat.state !== "X";
    });
}
