/** The kubelet's check of hostPath volumes. */
import { mkdir, open, stat } from "node:fs/promises";
import path from "node:path";
import { whenGone } from "@hooklet/utils";
import type { HostPathVolumeSource } from "kubernetes-types/core/v1.js";

type Stats = Awaited<ReturnType<typeof stat>>;

const HOST_PATH_TYPES: Readonly<Record<string, { readonly is: (stats: Stats) => boolean; readonly what: string }>> = {
  Directory: { is: (stats) => stats.isDirectory(), what: "a directory" },
  File: { is: (stats) => stats.isFile(), what: "a file" },
  Socket: { is: (stats) => stats.isSocket(), what: "a socket file" },
  CharDevice: { is: (stats) => stats.isCharacterDevice(), what: "a character device" },
  BlockDevice: { is: (stats) => stats.isBlockDevice(), what: "a block device" },
};

/** The kubelet's host path type check; a path without type is made as a directory when it is missing, as containerd does. */
export async function prepareHostPath(source: HostPathVolumeSource): Promise<void> {
  const type = source.type ?? "";
  const target = path.resolve("/", source.path);
  const found = await whenGone(undefined, () => stat(target));
  if (found === undefined) {
    if (type === "" || type === "DirectoryOrCreate") await mkdir(target, { recursive: true, mode: 0o755 });
    else if (type === "FileOrCreate") await (await open(target, "a", 0o644)).close();
    else throw missingHostPath(type, target);
    return;
  }
  const fault = hostPathFault(source, found);
  if (fault !== undefined) throw fault;
}

/** The reason why the file is not of the type; undefined when it is. */
export function hostPathFault(source: HostPathVolumeSource, found: Stats): Error | undefined {
  const rule = HOST_PATH_TYPES[(source.type ?? "").replace("OrCreate", "")];
  if (rule === undefined || rule.is(found)) return undefined;
  return new Error(`hostPath type check failed: ${path.resolve("/", source.path)} is not ${rule.what}`);
}

export function missingHostPath(type: string, target: string): Error {
  return new Error(`hostPath type check failed: ${target} is not ${HOST_PATH_TYPES[type]?.what ?? type}`);
}
