/** Makes the places that are mounted on, before the container starts, without ever following a link out of its root. */
import { chmodSync, closeSync, lchownSync, lstatSync, mkdirSync, openSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { errno, RuntimeError } from "@hooklet/core/host";
import { isMissing } from "../fs-errors.js";
import type { RootView } from "./view.js";

export type MountPointKind = "file" | "directory";

/**
 * Makes sure that `path` is there and is of this kind; returns it free of links. New places are made in the
 * container's own layer, or in the volume that covers the path (as runc does).
 * Throws `invalid-argument` when something of the other kind is in the way, or nothing can be made there.
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

/** Makes `path` and the parents it needs in the writable layer; parents look like those of the layer below. */
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
  let current = base;
  parts.forEach((part, index) => {
    const lower = layer.lower === undefined || mounted ? undefined : join(layer.lower, ...parts.slice(0, index + 1));
    current = join(current, part);
    const last = index === parts.length - 1;
    if (last && kind === "file") makeFile(current);
    else makeFolder(current, lower);
  });
  view.changed();
}

function makeFolder(path: string, like: string | undefined): void {
  try {
    mkdirSync(path, { mode: 0o755 });
  } catch (error) {
    if (errno(error) !== "EEXIST" && errno(error) !== "ENOTDIR") throw error;
    if (!lookOf(path)?.isDirectory()) {
      throw new RuntimeError(
        "invalid-argument",
        `cannot mount below ${path}: expected a directory, found something else`,
      );
    }
    return;
  }
  copyLook(path, like === undefined ? undefined : lookOf(like));
}

function makeFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o644));
  } catch (error) {
    if (errno(error) !== "EEXIST") throw error;
  }
}

/** Owner and mode: an overlay shows the upper folder's. */
export function copyLook(path: string, like: Stats | undefined): void {
  if (like === undefined || !like.isDirectory()) return;
  if (process.getuid?.() === 0) lchownSync(path, like.uid, like.gid);
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
