/** Files between the agent and a pod's containers: the hosts file, and the termination message with what it is read from. */

import { createHash } from "node:crypto";
import { constants } from "node:fs";
import path from "node:path";
import type { Mount, Runtime } from "@hooklet/cri-api";
import { disk, openLogFolder, openOwn, openRegular, pathSegment, writeOwn } from "@hooklet/linux";
import { criParser } from "@hooklet/logs";
import type { Container, Pod } from "@hooklet/manifest";
import { errno, errorText, unless } from "@hooklet/utils";

/** Writes the managed /etc/hosts and returns its mount. */
export function hostsMount(podDir: string, text: string): Mount {
  const file = path.join(podDir, "etc-hosts");
  writeOwn(file, text, 0o644);
  return mountOf("/etc/hosts", file);
}

/** An empty file for the container's termination message, and its mount. */
export function terminationLogMount(
  podDir: string,
  pod: Pod,
  container: Container,
  attempt: number,
): Mount | undefined {
  if (!container.terminationMessagePath) return undefined;
  const file = terminationLog(podDir, pod, container.name, attempt);
  disk.mkdirSync(path.dirname(file), { recursive: true, mode: 0o750 });
  const opened = openOwn(file, constants.O_WRONLY | constants.O_TRUNC, 0o666);
  try {
    // The container may run as any user; open() obeys the umask.
    disk.fchmodSync(opened, 0o666);
  } finally {
    disk.closeSync(opened);
  }
  return mountOf(container.terminationMessagePath, file);
}

/** Where it lies: another one for each attempt. */
export function terminationLog(podDir: string, pod: Pod, container: string, attempt: number): string {
  const id = createHash("sha256").update(`${pod.metadata.uid}/${container}/${attempt}`).digest("hex").slice(0, 8);
  return path.join(podDir, "containers", pathSegment(container), id);
}

function mountOf(containerPath: string, hostPath: string): Mount {
  return { containerPath, hostPath, readonly: false, selinuxRelabel: false, propagation: "PRIVATE" };
}

// The termination message of a container (terminationMessagePath and its policy).

/** The kubelet's limits, bytes. */
const MAX_MESSAGE = 4096;
const MAX_LOG_MESSAGE = 2048;
const MAX_LOG_LINES = 80;

interface TerminationMessageFiles {
  /** Host path of the termination log; undefined when it is not mounted. */
  readonly file?: string;
  readonly policy: "File" | "FallbackToLogsOnError";
  readonly exitCode: number;
  readonly logPath: string;
  readonly logFormat: Runtime["logFormat"];
}

/** "" when the container wrote none. A long message keeps its end. Read errors are part of it, with the kubelet's text. */
export async function terminationMessage(files: TerminationMessageFiles): Promise<string> {
  if (files.file !== undefined) {
    const text = readFileOf(files.file, MAX_MESSAGE);
    if (text !== "") return text;
  }
  if (files.policy !== "FallbackToLogsOnError" || files.exitCode === 0) return "";
  const tail = await tailOf(files.logPath, 64 * 1024);
  const lines = outputOf(tail, files.logFormat).split("\n");
  const last = lines.slice(-MAX_LOG_LINES - 1).join("\n");
  const bytes = Buffer.from(last);
  return bytes.length <= MAX_LOG_MESSAGE ? last : bytes.subarray(bytes.length - MAX_LOG_MESSAGE).toString("utf8");
}

function outputOf(bytes: Buffer, format: Runtime["logFormat"]): string {
  if (format === "raw") return bytes.toString("utf8");
  const pieces: Buffer[] = [];
  criParser({ timestamps: false }, (_stream, data) => pieces.push(Buffer.from(data))).write(bytes);
  return Buffer.concat(pieces).toString("utf8");
}

/**
 * Never follows a link and never waits on a fifo: the container owns this file. By this thread: it was written a moment ago and lies in
 * memory, so that waking another one, four times, costs far more.
 */
function readFileOf(file: string, limit: number): string {
  try {
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
    const descriptor = unless(["ENOENT"], undefined, () => disk.openSync(file, flags));
    if (descriptor === undefined) return "";
    try {
      const stat = disk.fstatSync(descriptor);
      if (!stat.isFile() || stat.size === 0) return "";
      const buffer = Buffer.alloc(Math.min(stat.size, limit));
      return buffer.toString("utf8", 0, disk.readSync(descriptor, buffer, 0, buffer.length, stat.size - buffer.length));
    } finally {
      disk.closeSync(descriptor);
    }
  } catch (error) {
    return `Error on reading termination log ${file}: ${errorText(error)}`;
  }
}

async function tailOf(file: string, limit: number): Promise<Buffer> {
  try {
    const folder = openLogFolder(file);
    const handle = await openRegular(folder, path.basename(file)).finally(() => folder.close());
    try {
      const { size } = await handle.stat();
      const length = Math.min(size, limit);
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, size - length);
      const read = buffer.subarray(0, bytesRead);
      return size > length ? read.subarray(read.indexOf(0x0a) + 1) : read;
    } finally {
      await handle.close();
    }
  } catch (error) {
    // Not our log: a link or a FIFO was put in its place.
    if (["ENOENT", "ELOOP", "ENOTDIR", "EINVAL", "ENXIO"].includes(errno(error) ?? "")) return Buffer.alloc(0);
    throw error;
  }
}
