/** Makes the places that are mounted on, before the container starts, without ever following a link out of its root. */
import { chmodSync, chownSync, closeSync, constants, lstatSync, openSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { RuntimeError } from "@hooklet/core/host";
import { errno } from "@hooklet/core/subsystem";
import { Place } from "@hooklet/linux";
import { isMissing } from "../state-text.js";
import type { RootView } from "./view.js";

export type MountPointKind = "file" | "directory";

/**
 * Ensures that `path` exists and is of this kind; returns it free of links. New places are made in the
 * container's own layer, or in the volume that covers the path (as runc does).
 * Throws `invalid-argument` when something of the other kind is in the way, or nothing can be created there.
 */
export function makeMountPoint(view: RootView, path: string, kind: MountPointKind): string {
  const resolved = view.resolve(path);
  if (resolved.stat !== undefined) {
    if (resolved.stat.isDirectory() !== (kind === "directory")) {
      throw new RuntimeError(
        "invalid-argument",
        `cannot mount on ${path}: expected a ${kind} there as on the node, found a ${kind === "file" ? "directory" : "file"}`,
      );
    }
    // Where others can write they could put a link in the way before the mount: a real folder in the container's own
    // layer hides it.
    if (!isSteady(view, resolved.path))
      fill(view, kind === "directory" ? resolved.path : dirname(resolved.path), "directory");
    return resolved.path;
  }
  fill(view, resolved.path, kind);
  return resolved.path;
}

/** True when only root, or we ourselves, can change what lies on the way to `path`. */
function isSteady(view: RootView, path: string): boolean {
  const own = process.getuid?.();
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { stat } = view.resolve(folder);
    if (stat === undefined || (stat.uid !== 0 && stat.uid !== own) || (stat.mode & 0o022) !== 0) return false;
    if (folder === "/") return true;
  }
}

/**
 * Creates `path` and its missing parents in the writable layer; parents get the attributes of the layer below. Step by step through open
 * folders: in a place that others can write (a volume), a link that they put in the way leads nowhere.
 */
function fill(view: RootView, path: string, kind: MountPointKind): void {
  const { layer, rest, mounted } = view.owner(path);
  const base = mounted ? layer.lower : layer.upper;
  if (base === undefined) {
    if (exists(join(layer.lower ?? "/", rest))) return;
    throw new RuntimeError(
      "invalid-argument",
      `cannot mount on ${path}: it is not there, and nothing can be made below ${layer.at} without changing the node; mount elsewhere`,
    );
  }
  const parts = rest === "" ? [] : rest.split("/");
  const lower = layer.lower === undefined || mounted ? undefined : layer.lower;
  if (parts.length > 0) Place.with(`${base}/.`, (folder) => fillBelow(folder, parts, kind, lower, path));
  view.changed();
}

/** `lower`: the folder in the layer below that `base` hides. */
function fillBelow(
  base: Place,
  parts: readonly string[],
  kind: MountPointKind,
  lower: string | undefined,
  path: string,
): void {
  let here = base;
  try {
    for (const [index, part] of parts.entries()) {
      if (kind === "file" && index === parts.length - 1) {
        makeFile(here, part);
        return;
      }
      const like = lower === undefined ? undefined : lookOf(join(lower, ...parts.slice(0, index + 1)));
      const next = here.folder(part, 0o755, (place) => copyLook(place.path, like));
      if (next === undefined) {
        throw new RuntimeError(
          "invalid-argument",
          `cannot mount on ${path}: expected a directory at ${part}, found something else`,
        );
      }
      if (here !== base) here.close();
      here = next;
    }
  } finally {
    if (here !== base) here.close();
  }
}

function makeFile(folder: Place, name: string): void {
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  try {
    closeSync(openSync(folder.at(name), O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, 0o644));
  } catch (error) {
    if (errno(error) !== "EEXIST") throw error;
  }
}

/** Owner and mode: an overlay shows the upper folder's. */
export function copyLook(path: string, like: Stats | undefined): void {
  if (like === undefined || !like.isDirectory()) return;
  if (process.getuid?.() === 0) chownSync(path, like.uid, like.gid);
  chmodSync(path, like.mode & 0o7777);
}

function lookOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function exists(path: string): boolean {
  return lookOf(path) !== undefined;
}
