/**
 * A place below a volume, opened so that nobody can put another one there: pods write to their volumes while we look (the
 * kubelet's subpath package, CVE-2017-1002101). Links inside the volume are followed, one that leaves it is refused.
 */
import { constants } from "node:fs";
import { chmod, type FileHandle, mkdir, open, realpath } from "node:fs/promises";
import path from "node:path";
import { errno } from "../../lib/errno.js";

/** Not among Node's constants. */
const O_PATH = 0o10000000;
const FLAGS = O_PATH | constants.O_NOFOLLOW;

export interface OpenPlace {
  /** Without links. Only a hint: another process may have changed it by now; the handle is the place. */
  readonly path: string;
  readonly handle: FileHandle;
  readonly isDirectory: boolean;
}

/**
 * What is missing is made as directories with the volume's own mode, as in the kubelet. The caller closes the handle.
 * @param subPath relative, checked to have no `..`
 * @throws Error telling the sub path, never a path of the node
 */
export async function openSubPath(volume: string, subPath: string): Promise<OpenPlace> {
  const base = await realpath(volume);
  const steps = await stepsBelow(base, subPath);
  let place = await openStep(base, undefined, subPath);
  try {
    const { mode } = await place.handle.stat();
    for (const step of steps) {
      const next = await openStep(step, place, subPath, mode & 0o7777);
      await place.handle.close();
      place = next;
    }
    return place;
  } catch (error) {
    await place.handle.close();
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

async function openStep(
  name: string,
  parent: OpenPlace | undefined,
  subPath: string,
  modeIfMissing?: number,
): Promise<OpenPlace> {
  const at = parent === undefined ? name : `/proc/self/fd/${parent.handle.fd}/${name}`;
  let handle: FileHandle;
  try {
    handle = await open(at, FLAGS).catch((error: unknown) => {
      if (errno(error) !== "ENOENT" || modeIfMissing === undefined) throw error;
      return make(at, modeIfMissing);
    });
  } catch (error) {
    throw withoutPaths(error, subPath);
  }
  const stats = await handle.stat();
  if (!stats.isSymbolicLink()) {
    return {
      path: parent === undefined ? name : path.join(parent.path, name),
      handle,
      isDirectory: stats.isDirectory(),
    };
  }
  await handle.close();
  throw leaves(subPath);
}

async function make(at: string, mode: number): Promise<FileHandle> {
  const made = await mkdir(at, { mode: 0o700 }).then(
    () => true,
    (error: unknown) => {
      // The pod's other containers start at the same time.
      if (errno(error) === "EEXIST") return false;
      throw error;
    },
  );
  const handle = await open(at, FLAGS);
  // mkdir obeys the umask.
  if (made) await chmod(`/proc/self/fd/${handle.fd}`, mode);
  return handle;
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
