/**
 * Sub paths of volumes as mount sources that nobody can swap: bind mounts of open places, below the pod's own directory as
 * in the kubelet (`volume-subpaths/<volume>/<container>/<index>`).
 */
import { execFile } from "node:child_process";
import { mkdir, open, readFile, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { errno } from "../../lib/errno.js";
import { type OpenPlace, openSubPath } from "./sub-path.js";

const run = promisify(execFile);
/** Below the directory of a pod. */
export const SUB_PATHS = "volume-subpaths";

/**
 * The path to mount for a sub path. May be repeated: a mount of the same place is kept. An ordinary user cannot bind mount;
 * its pods have no rights beyond its own, so the path as it was found will do.
 * @throws Error naming the sub path
 */
export async function mountSource(
  podDir: string,
  where: { readonly volume: string; readonly container: string; readonly index: number },
  volumePath: string,
  subPath: string,
): Promise<string> {
  const place = await openSubPath(volumePath, subPath);
  try {
    if (process.getuid?.() !== 0) return place.path;
    // The kernel tells mount points without links.
    const real = await realpath(podDir);
    const target = path.join(real, SUB_PATHS, where.volume, where.container, String(where.index));
    if ((await mountsBelow(real)).includes(target)) {
      if (await isSame(target, place)) return target;
      await unmount(target);
    }
    await makeTarget(target, place.isDirectory);
    // Canonicalized, the path of our descriptor would be a path on the volume again.
    await run("mount", ["--no-canonicalize", "--bind", `/proc/${process.pid}/fd/${place.handle.fd}`, target]);
    return target;
  } finally {
    await place.handle.close();
  }
}

/**
 * To be called before a directory of a pod is removed: what is mounted below it, sub paths or what a container left in a
 * volume with Bidirectional propagation, would be emptied with it. @throws Error naming what cannot be unmounted
 */
export async function releaseMounts(directory: string): Promise<void> {
  const real = await realpath(directory).catch((error: unknown) => {
    if (errno(error) === "ENOENT") return undefined;
    throw error;
  });
  if (real === undefined) return;
  for (const target of (await mountsBelow(real)).toReversed()) await unmount(target);
  const left = await mountsBelow(real);
  if (left.length > 0) throw new Error(`${left.join(", ")} cannot be unmounted: the pod's directory stays`);
}

async function makeTarget(target: string, isDirectory: boolean): Promise<void> {
  await mkdir(isDirectory ? target : path.dirname(target), { recursive: true, mode: 0o750 });
  if (!isDirectory) await (await open(target, "a", 0o640)).close();
}

async function isSame(target: string, { handle }: OpenPlace): Promise<boolean> {
  const [mounted, wanted] = await Promise.all([stat(target, { bigint: true }), handle.stat({ bigint: true })]);
  return mounted.dev === wanted.dev && mounted.ino === wanted.ino;
}

/** Lazy: a busy mount goes from the tree all the same. */
async function unmount(target: string): Promise<void> {
  await run("umount", ["--no-canonicalize", "--lazy", target]);
}

/** Mount points below a directory, which is named without links, in the order in which they were made. */
export async function mountsBelow(directory: string): Promise<readonly string[]> {
  const lines = (await readFile("/proc/self/mountinfo", "utf8")).split("\n");
  return lines
    .map((line) => (line.split(" ")[4] ?? "").replace(/\\([0-7]{3})/g, (_, octal) => unescaped(octal)))
    .filter((point) => point.startsWith(`${directory}/`));
}

function unescaped(octal: string): string {
  return String.fromCharCode(Number.parseInt(octal, 8));
}
