import { lstatSync, type Stats } from "node:fs";
import { errno } from "@hooklet/core";
import { isMissing } from "../fs-errors.js";

/** What may not be looked into counts as missing: the container's user could not either. */
export function lstatOrUndefined(path: string): Stats | undefined {
  try {
    // An exception for every missing path would cost more than the look itself.
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (isMissing(error) || errno(error) === "EACCES" || errno(error) === "ENAMETOOLONG") return undefined;
    throw error;
  }
}
