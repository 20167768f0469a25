/** Files that are either old or new, never half: temporary file, fsync, rename, fsync of the folder. */

import { createHash } from "node:crypto";
import { constants } from "node:fs";
import { basename, dirname, join } from "node:path";
import { errno, errorText, type Json, NodeAgentError } from "@hooklet/utils";
import { disk } from "../files/disk.js";
import { openOwn } from "../files/own-files.js";

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
      return "create the directory";
    default:
      return "see to the disk or choose another --root-dir";
  }
}

// The form of every state file: one header line with format, length and checksum, then the payload as JSON.

const FORMAT = "hooklet-state/1";

/** `hooklet-state/1 sha256=<hex> bytes=<n>`, a line feed, the payload. The checksum is over the payload's bytes. */
export function encodeChecked(value: Json): string {
  const payload = JSON.stringify(value);
  return `${FORMAT} sha256=${sha256(payload)} bytes=${Buffer.byteLength(payload)}\n${payload}`;
}

/** The payload of `encodeChecked`. Throws STATE_UNREADABLE when a single bit is off, or the file ends early. */
export function decodeChecked(text: string): Json {
  const end = text.indexOf("\n");
  const header = /^(\S+) sha256=([0-9a-f]{64}) bytes=(\d+)$/.exec(text.slice(0, Math.max(end, 0)));
  if (header === null) throw damaged("it has no header line");
  const [, format, checksum, bytes] = header;
  if (format !== FORMAT) throw damaged(`its format is ${format}, expected ${FORMAT}`);
  const payload = text.slice(end + 1);
  const found = Buffer.byteLength(payload);
  if (found !== Number(bytes)) throw damaged(`it holds ${found} of ${bytes} bytes`);
  if (sha256(payload) !== checksum) throw damaged("its checksum does not match");
  try {
    return JSON.parse(payload) as Json;
  } catch (error) {
    throw damaged(errorText(error));
  }
}

function sha256(payload: string): string {
  return createHash("sha256").update(payload).digest("hex");
}

function damaged(why: string): NodeAgentError {
  return new NodeAgentError("STATE_UNREADABLE", `State file is damaged: ${why}`);
}
