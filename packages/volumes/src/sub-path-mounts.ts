/**
 * Sub paths of volumes as mount sources that cannot be swapped: bind mounts of open places, below the pod's own directory as in the kubelet
 * (`volume-subpaths/<volume>/<container>/<index>`).
 */

import { execFile } from "node:child_process";
import { open, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { disk, mountPoints, Place, removeTree } from "@hooklet/linux";
import { errno, whenGone } from "@hooklet/utils";

/** Milliseconds; a dead file system may block mount(8) forever. */
const DEADLINE = { timeout: 10_000, killSignal: "SIGKILL" } as const;
const run = (program: string, words: readonly string[]) => promisify(execFile)(program, words, DEADLINE);
/** Below the directory of a pod. */
export const SUB_PATHS = "volume-subpaths";

export interface SubPathPlace {
  readonly podDir: string;
  readonly where: { readonly volume: string; readonly container: string; readonly index: number };
  readonly volumePath: string;
  readonly subPath: string;
}

/**
 * The path to mount for a sub path. May be repeated: a mount of the same place is kept. An ordinary user cannot bind mount;
 * its pods have no rights beyond its own, so the path as it was found will do.
 * @throws Error naming the sub path
 */
export async function mountSource({ podDir, where, volumePath, subPath }: SubPathPlace): Promise<string> {
  const { place, path: found } = await openSubPath(volumePath, subPath);
  try {
    if (process.getuid?.() !== 0) return found;
    return await bindPlace(place, podDir, where, "--bind");
  } finally {
    place.close();
  }
}

/** Binds an open place below the pod's directory; what is bound there stays when it is the same. `--rbind`: with what lies below it. */
export async function bindPlace(
  place: Place,
  podDir: string,
  where: SubPathPlace["where"],
  how: "--bind" | "--rbind",
): Promise<string> {
  // The kernel tells mount points without links.
  const real = await disk.realpath(podDir);
  const target = path.join(real, SUB_PATHS, where.volume, where.container, String(where.index));
  if (mountsBelow(real).includes(target)) {
    if (await isSame(target, place)) return target;
    await releaseMounts(target);
    await unmount(target);
  }
  await makeTarget(target, place.stat.isDirectory());
  // Canonicalized, the path of our descriptor would be a path on the volume again.
  await run("mount", ["--no-canonicalize", how, `/proc/${process.pid}/fd/${place.fd}`, target]);
  return target;
}

/**
 * Removes the directory of a pod, or one in it, with its contents. Mounts below it (volumes in memory, emptied before; sub paths;
 * what a container left in a volume with Bidirectional propagation) are unmounted, never emptied. Pods without mounts need no
 * scan of the node's mounts: the kernel does not remove a mount point.
 * @throws Error naming what cannot be unmounted
 */
export async function removePodDirectory(podDir: string, directory = podDir, progress?: () => void): Promise<void> {
  const how = progress === undefined ? {} : { progress };
  try {
    await removeTree(directory, how);
  } catch (error) {
    if (errno(error) !== "EBUSY") throw error;
    await releaseMounts(podDir);
    await removeTree(directory, how);
  }
}

/**
 * To be called before a directory of a pod is emptied: what is mounted below it would be emptied with it.
 * @throws Error naming what cannot be unmounted
 */
export async function releaseMounts(directory: string): Promise<void> {
  const real = await whenGone(undefined, () => disk.realpath(directory));
  if (real === undefined) return;
  const mounted = mountsBelow(real);
  if (mounted.length === 0) return;
  // What lies below a bind mount may be the machine's as well: where the two propagate to each other, both would go.
  for (const target of [real, ...mounted]) {
    const isParent = mounted.some((other) => other.startsWith(`${target}/`));
    if (isParent && (target !== real || isMountPoint(real))) await makePrivate(target);
  }
  for (const target of mounted.toReversed()) await unmount(target);
  const left = mountsBelow(real);
  if (left.length > 0) throw new Error(`${left.join(", ")} cannot be unmounted: the pod's directory stays`);
}

/** Unmounts what others mounted over a mount of the agent's, without accessing it. */
export async function releaseCover(mounted: string): Promise<void> {
  const above = await whenGone(undefined, () => disk.realpath(path.dirname(mounted)));
  if (above === undefined) return;
  const real = path.join(above, path.basename(mounted));
  const count = (): number => mountPoints().filter((point) => point === real).length;
  for (let left = count(); left > 1; left = count()) {
    await unmount(real);
    if (count() >= left) throw new Error(`what is mounted over ${real} cannot be unmounted`);
  }
}

async function makeTarget(target: string, isDirectory: boolean): Promise<void> {
  // What was bound there before may have been of the other kind.
  const found = await whenGone(undefined, () => disk.lstat(target));
  if (found !== undefined && found.isDirectory() !== isDirectory) await removeTree(target);
  await disk.mkdir(isDirectory ? target : path.dirname(target), { recursive: true, mode: 0o750 });
  if (!isDirectory) await (await open(target, "a", 0o640)).close();
}

async function isSame(target: string, place: Place): Promise<boolean> {
  const [mounted, wanted] = await Promise.all([stat(target, { bigint: true }), stat(place.path, { bigint: true })]);
  return mounted.dev === wanted.dev && mounted.ino === wanted.ino;
}

async function makePrivate(target: string): Promise<void> {
  await run("mount", ["--no-canonicalize", "--make-private", target]);
}

function isMountPoint(real: string): boolean {
  return mountPoints().includes(real);
}

/** Lazy: a busy mount goes from the tree all the same. */
async function unmount(target: string): Promise<void> {
  await run("umount", ["--no-canonicalize", "--lazy", target]);
}

/** Mount points below a directory, which is named without links, in the order in which they were made. */
export function mountsBelow(directory: string): readonly string[] {
  return mountPoints().filter((point) => point.startsWith(`${directory}/`));
}

// Opens a place below a volume so that it cannot be swapped: pods write to their volumes meanwhile (the kubelet's subpath package, CVE-2017-1002101).
// Links inside the volume are followed; a link that leaves it is refused.

interface OpenPlace {
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
