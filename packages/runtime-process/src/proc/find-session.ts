import { readdirSync } from "node:fs";
import type { ProcessIdentity } from "./identity.js";
import { readStat } from "./stat.js";

/** The living processes of a session. A look over /proc. */
export function findSession(session: number): ProcessIdentity[] {
  return readdirSync("/proc")
    .map(Number)
    .flatMap((pid) => {
      if (!Number.isInteger(pid) || pid <= 1) return [];
      const stat = readStat(pid);
      const lives = stat !== undefined && stat.session === session && stat.state !== "Z" && stat.state !== "X";
      return lives ? [{ pid, startTicks: stat.startTicks }] : [];
    });
}
