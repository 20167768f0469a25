/** Paths in a volume that is replaced atomically (the kubelet's AtomicWriter). Pure. */

import path from "node:path";
import type { Pod } from "@hooklet/core";
import { type Payload, PayloadError } from "./payload.js";

const MAX_PATH = 4096;
const MAX_NAME = 255;

/** The payload with clean paths. @throws PayloadError for a path that would lead elsewhere */
export function cleanPayload(payload: Payload): Payload {
  return new Map([...payload].map(([file, content]) => [cleanPath(file), content]));
}

/** Relative, without `..`. @throws PayloadError for a path that would lead elsewhere */
export function cleanPath(file: string): string {
  if (file === "") throw new PayloadError('invalid path: must not be empty: ""');
  if (file.startsWith("/")) throw new PayloadError(`invalid path: must be relative path: ${file}`);
  if (Buffer.byteLength(file) > MAX_PATH) {
    throw new PayloadError(`invalid path: must be less than or equal to ${MAX_PATH} characters`);
  }
  const items = file.split("/");
  for (const item of items) {
    if (item === "..") throw new PayloadError(`invalid path: must not contain '..': ${file}`);
    if (Buffer.byteLength(item) > MAX_NAME) {
      throw new PayloadError(`invalid path: filenames must be less than or equal to ${MAX_NAME} characters`);
    }
    if (item.includes("\0")) throw new PayloadError("invalid path: must not contain NUL");
  }
  if (items[0]?.startsWith("..")) throw new PayloadError(`invalid path: must not start with '..': ${file}`);
  const clean = path.posix.normalize(file).replace(/\/$/, "");
  if (clean === ".") throw new PayloadError(`invalid path: must name a file: ${file}`);
  return clean;
}

/** What is seen at the top of the volume: files, and folders that hold files. */
export function visibleEntries(payload: Payload): ReadonlySet<string> {
  return new Set([...payload.keys()].map((file) => file.split("/", 1)[0] as string));
}

/** `..2026_11_22_07_45_01.`, to which something random is added. */
export function timestampPrefix(milliseconds: number): string {
  const [date = "", time = ""] = new Date(milliseconds).toISOString().slice(0, 19).split("T");
  return `..${date.replaceAll("-", "_")}_${time.replaceAll(":", "_")}.`;
}

/** Timestamped folders of a volume; no other entry matches. */
export const TIMESTAMPED = /^\.\.\d{4}(?:_\d\d){5}\.\w+$/;

// Places in a volume where a container mounts another one: a read-only volume has to hold them (MakeNestedMountpoints).

/** Folders below the volume, relative, each once. */
export function nestedMountpoints({ spec }: Pod, volume: string): readonly string[] {
  const containers = [...(spec.initContainers ?? []), ...spec.containers];
  const found = containers.flatMap(({ volumeMounts = [] }) => {
    const all = volumeMounts.map(({ mountPath }) => cleaned(mountPath)).sort();
    const own = volumeMounts.flatMap(({ name, mountPath }) => (name === volume ? cleaned(mountPath) : []));
    return own.flatMap((at) =>
      outermost(all.filter((one) => one.startsWith(`${at}/`))).map((one) => one.slice(at.length + 1)),
    );
  });
  return [...new Set(found)];
}

/** Without a slash at the end. The API lets paths through that are not absolute: the kubelet takes them from the root. */
function cleaned(mountPath: string): string {
  return path.posix.resolve("/", mountPath).replace(/\/$/, "");
}

/** Of sorted paths those that lie in no other. */
function outermost(sorted: readonly string[]): readonly string[] {
  const kept: string[] = [];
  for (const one of sorted) {
    const last = kept.at(-1);
    if (last === undefined || !one.startsWith(`${last}/`)) kept.push(one);
  }
  return kept;
}
