/** Groups of the machine by name. Node knows none. */
import { readFileSync } from "node:fs";

/** The number of a group of /etc/group; a number stands for itself; undefined for a name that is not there. */
export function groupNumber(group: string | number, file = "/etc/group"): number | undefined {
  if (typeof group === "number") return group;
  const line = readFileSync(file, "utf8")
    .split("\n")
    .find((one) => one.startsWith(`${group}:`));
  const number = line?.split(":")[2];
  return number !== undefined && /^\d+$/.test(number) ? Number(number) : undefined;
}
