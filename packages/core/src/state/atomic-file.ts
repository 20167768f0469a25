/** Files that are either old or new, never half: temporary file, fsync, rename, fsync of the folder. */
import { constants } from "node:fs";
import { basename, dirname, join } from "node:path";
import { disk, openOwn } from "@hooklet/linux";
import { errno, errorText, NodeAgentError } from "@hooklet/utils";

export { decodeChecked, encodeChecked } from "./checked.js";

const { O_WRONLY, O_TRUNC } = constants;
const writing = new Map<string, Promise<void>>();

/**
 * Replaces the file whole. Writes of one path run one after the other, in the order of the calls. `mode` is set
 * with any umask (default 0600). Rejects with STATE_UNWRITABLE naming the path; then the old content is kept.
 */
export function writeFileAtomic(
  path: string,
  data: string | Uint8Array,
  options: { readonly mode?: number } = {},
): Promise<void> {
  const before = writing.get(path) ?? Promise.resolve();
  const write = before.then(() => replace(path, data, options.mode ?? 0o600));
  const settled = write.catch(() => {});
  writing.set(path, settled);
  void settled.then(() => {
    if (writing.get(path) === settled) writing.delete(path);
  });
  return write;
}

/** Deletes what a crash in the middle of a write left. Not while the file is being written. */
export async function removeLeftover(path: string): Promise<void> {
  if (!writing.has(path)) await disk.rm(temporaryName(path), { force: true });
}

/** One fixed name per file: a leftover is overwritten by the next write, so that they never pile up. */
function temporaryName(path: string): string {
  return join(dirname(path), `.${basename(path)}.tmp`);
}

/** Only what waits for the disk leaves this thread: on a virtual machine waking another costs more than the other calls do. */
async function replace(path: string, data: string | Uint8Array, mode: number): Promise<void> {
  const temporary = temporaryName(path);
  try {
    await withFile(openOwn(temporary, O_WRONLY | O_TRUNC, mode), async (file) => {
      disk.fchmodSync(file, mode);
      disk.writeFileSync(file, data);
      await disk.sync(file);
    });
    disk.renameSync(temporary, path);
    await withFile(disk.openSync(dirname(path), "r"), disk.sync);
  } catch (error) {
    await disk.rm(temporary, { force: true }).catch(() => {});
    throw new NodeAgentError(
      "STATE_UNWRITABLE",
      `Cannot write ${path}: ${errorText(error)}; the former content is kept; ${advice(error)}`,
      { cause: error },
    );
  }
}

async function withFile(file: number, work: (file: number) => Promise<void>): Promise<void> {
  try {
    await work(file);
  } finally {
    disk.closeSync(file);
  }
}

function advice(error: unknown): string {
  switch (errno(error)) {
    case "ENOSPC":
    case "EDQUOT":
      return "free some space on that disk";
    case "EROFS":
      return "mount the file system read-write or choose another --root-dir";
    case "EACCES":
    case "EPERM":
      return "give the agent's user write access or choose another --root-dir";
    case "ENOENT":
      return "create the folder";
    default:
      return "see to the disk or choose another --root-dir";
  }
}
