/**
 * hostPaths of sources that are restricted to some folders: the path is opened step by step, without following links, and bound
 * below the pod's own directory. So each runtime mounts what was checked, even if the path is replaced later.
 */
import { closeSync, constants, openSync } from "node:fs";
import { realpath } from "node:fs/promises";
import path from "node:path";
import { Place } from "@hooklet/linux";
import { errno, unless } from "@hooklet/utils";
import type { HostPathVolumeSource } from "kubernetes-types/core/v1.js";
import { hostPathFault, missingHostPath } from "./host-path.js";
import { bindPlace } from "./sub-path-mounts.js";

export interface AllowedHostPath {
  readonly podDir: string;
  /** The volume's name. */
  readonly volume: string;
  readonly source: HostPathVolumeSource;
  /** Folders of the node, links in them followed. */
  readonly allowed: readonly string[];
}

/**
 * The path to mount. What is missing is made as `type` says, within the list. An ordinary user cannot bind: it gets the path that was
 * found.
 * @throws Error naming what the path leads to
 */
export async function mountAllowed({ podDir, volume, source, allowed }: AllowedHostPath): Promise<string> {
  const asked = path.resolve("/", source.path);
  const found = await leadsTo(asked);
  const folders = await Promise.all(allowed.map(leadsTo));
  if (!folders.some((folder) => folder === "/" || found === folder || found.startsWith(`${folder}/`))) {
    throw new Error(`hostPath ${asked} leads to ${found}, which allowedHostPaths does not name`);
  }
  const place = openWithoutLinks(found, source.type ?? "", asked);
  try {
    const fault = hostPathFault(source, place.stat);
    if (fault !== undefined) throw fault;
    if (process.getuid?.() !== 0) return found;
    // No container has such a name.
    return await bindPlace(place, podDir, { volume, container: ".host", index: 0 }, "--rbind");
  } finally {
    place.close();
  }
}

/** Resolves links as far as the path exists; the rest stays as written. */
async function leadsTo(file: string): Promise<string> {
  const there = path.resolve("/", file).split("/").filter(Boolean);
  const missing: string[] = [];
  for (;;) {
    try {
      return path.join(await realpath(`/${there.join("/")}`), ...missing);
    } catch (error) {
      const last = there.pop();
      if (errno(error) !== "ENOENT" || last === undefined) throw error;
      missing.unshift(last);
    }
  }
}

function openWithoutLinks(file: string, type: string, asked: string): Place {
  const steps = file.split("/").filter(Boolean);
  let here = Place.open("/");
  try {
    for (const [index, step] of steps.entries()) {
      const next = here.child(step) ?? made(here, step, type, index === steps.length - 1);
      if (next === undefined) throw missingHostPath(type, asked);
      here.close();
      here = next;
      if (here.stat.isSymbolicLink())
        throw new Error(`hostPath ${asked} changed while it was opened: ${step} is a link now`);
    }
    return here;
  } catch (error) {
    here.close();
    throw error;
  }
}

function made(parent: Place, name: string, type: string, isLast: boolean): Place | undefined {
  if (type === "" || type === "DirectoryOrCreate") return parent.folder(name, 0o755) ?? parent.child(name);
  if (type !== "FileOrCreate" || !isLast) return undefined;
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants;
  unless(["EEXIST"], undefined, () =>
    closeSync(openSync(parent.at(name), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o644)),
  );
  return parent.child(name);
}
