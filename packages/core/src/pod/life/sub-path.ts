/**
 * Opens a place below a volume so that it cannot be swapped: pods write to their volumes meanwhile (the kubelet's subpath
 * package, CVE-2017-1002101). Links inside the volume are followed; a link that leaves it is refused.
 */
import { realpath } from "node:fs/promises";
import path from "node:path";
import { Place } from "@hooklet/linux";
import { errno } from "@hooklet/utils";

export interface OpenPlace {
  /** Without links. Only a hint: another process may have changed it by now; the place is the place. */
  readonly path: string;
  readonly place: Place;
}

/**
 * What is missing is made as directories with the volume's own mode, as in the kubelet. The caller closes the place.
 * @param subPath relative, checked to have no `..`
 * @throws Error telling the sub path, never a path of the node
 */
export async function openSubPath(volume: string, subPath: string): Promise<OpenPlace> {
  const base = await realpath(volume);
  const steps = await stepsBelow(base, subPath);
  let place = Place.open(base);
  try {
    const mode = place.stat.mode & 0o7777;
    for (const step of steps) {
      const next = openStep(place, step, mode, subPath);
      place.close();
      place = next;
    }
    return { path: path.join(base, ...steps), place };
  } catch (error) {
    place.close();
    throw error;
  }
}

/** The way from the volume to the place without links, as far as there is one; the rest as it is written. */
async function stepsBelow(base: string, subPath: string): Promise<readonly string[]> {
  const there = path.join(base, subPath).slice(base.length).split("/").filter(Boolean);
  const missing: string[] = [];
  for (;;) {
    try {
      const found = await realpath(path.join(base, ...there));
      if (found !== base && !found.startsWith(base === "/" ? base : `${base}/`)) throw leaves(subPath);
      return [...path.relative(base, found).split("/").filter(Boolean), ...missing];
    } catch (error) {
      const last = there.pop();
      if (errno(error) !== "ENOENT" || last === undefined) throw withoutPaths(error, subPath);
      missing.unshift(last);
    }
  }
}

function openStep(parent: Place, name: string, modeIfMissing: number, subPath: string): Place {
  let next: Place | undefined;
  try {
    // The pod's other containers start at the same time: what they make first is taken.
    next = parent.child(name) ?? parent.folder(name, modeIfMissing) ?? parent.child(name);
  } catch (error) {
    throw withoutPaths(error, subPath);
  }
  if (next !== undefined && !next.stat.isSymbolicLink()) return next;
  next?.close();
  throw leaves(subPath);
}

function leaves(subPath: string): Error {
  return new Error(
    `subPath ${JSON.stringify(subPath)} goes over a symbolic link that leaves the volume, or that is not there`,
  );
}

/** The owner of a pod need not learn about the node's file system. */
function withoutPaths(error: unknown, subPath: string): unknown {
  const code = errno(error);
  return code === undefined ? error : new Error(`subPath ${JSON.stringify(subPath)} cannot be opened: ${code}`);
}
