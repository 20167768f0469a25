/**
 * A container's file tree as it will be seen from inside, worked out from outside: layers, then mounts. Symbolic links
 * are followed within the container's root, never out of it, so that a link to /etc/passwd is the container's own.
 */
import { lstatSync, readlinkSync, type Stats } from "node:fs";
import { posix } from "node:path";
import type { Clock } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import { errno } from "@hooklet/core/subsystem";
import { covers } from "@hooklet/linux";
import { isMissing } from "../state-text.js";

/** A path that cannot be read counts as missing: the container's user could not read it either. */
function lstatOrUndefined(path: string): Stats | undefined {
  try {
    // An exception for every missing path would cost more than the call itself.
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    if (isMissing(error) || errno(error) === "EACCES" || errno(error) === "ENAMETOOLONG") return undefined;
    throw error;
  }
}

const KEPT_MS = 1000;
/** Paths kept at most. */
const MOST = 10_000;

export class LowerStats {
  readonly #known = new Map<string, Stats | undefined>();
  #begun = 0;

  constructor(private readonly clock: Pick<Clock, "monotonic">) {}

  lstat(path: string): Stats | undefined {
    const now = this.clock.monotonic();
    if (now - this.#begun > KEPT_MS || this.#known.size > MOST) {
      this.#known.clear();
      this.#begun = now;
    }
    if (this.#known.has(path)) return this.#known.get(path);
    const stats = lstatOrUndefined(path);
    this.#known.set(path, stats);
    return stats;
  }
}

/** A part of the tree: what lies in `upper` hides what lies in `lower`. */
export interface Layer {
  /** Container path, "/" or without a slash at the end. */
  readonly at: string;
  readonly lower?: string;
  /** Where new mount points are made; undefined = none can be. */
  readonly upper?: string;
  /** Paths in `lower` on which the node has something mounted: an overlay shows what lies beneath, which we take for empty. */
  readonly hides?: readonly string[];
  /** A file system of the kernel: nothing can be created in it, and its content is the same for all containers. */
  readonly kernel?: boolean;
}

interface Resolved {
  /** Path in the container, free of links. */
  readonly path: string;
  /** Where it lies on the node; undefined = it is not there. */
  readonly host?: string;
  readonly stat?: Stats;
}

interface Found {
  readonly host: string;
  readonly stat: Stats;
}

const MAX_LINKS = 40;

export class RootView {
  readonly #layers: Layer[];
  readonly #mounts: Layer[] = [];
  /** Results by path, kept with `lowerStats` alone: one container asks for the same few parents over and over. */
  readonly #known = new Map<string, Found | undefined>();

  /**
   * With `lowerStats` results are cached: call `changed` after creating something in a layer or a mount. Without it
   * each lookup is fresh.
   */
  constructor(
    layers: readonly Layer[],
    private readonly lowerStats?: LowerStats,
  ) {
    this.#layers = [...layers].sort((a, b) => b.at.length - a.at.length);
  }

  /** From now on `at` shows the node's file or folder `host`. `kernel`: as `Layer` has it. */
  mount(at: string, host: string, kernel = false): void {
    this.#mounts.unshift({ at, lower: host, kernel });
    for (const path of this.#known.keys()) if (covers(at, path)) this.#known.delete(path);
  }

  /** Something was created in a layer or in a mount: the cache is cleared. */
  changed(): void {
    this.#known.clear();
  }

  /** Follows links. A missing tail is kept as it is written. Throws `invalid-argument` for loops of links. */
  resolve(path: string): Resolved {
    const todo = split(path);
    let done: string[] = [];
    let links = 0;
    let missing = false;
    for (let part = todo.shift(); part !== undefined; part = todo.shift()) {
      if (part === "..") {
        done = done.slice(0, -1);
        missing = false;
        continue;
      }
      done.push(part);
      if (missing) continue;
      const here = `/${done.join("/")}`;
      const found = this.#lookup(here);
      missing = found === undefined;
      if (found === undefined || !found.stat.isSymbolicLink()) continue;
      if (++links > MAX_LINKS) throw new RuntimeError("invalid-argument", `${path}: too many levels of symbolic links`);
      const target = readlinkSync(found.host);
      done = target.startsWith("/") ? [] : done.slice(0, -1);
      todo.unshift(...split(target));
    }
    const resolved = `/${done.join("/")}`;
    const found = this.#lookup(resolved);
    return found === undefined ? { path: resolved } : { path: resolved, ...found };
  }

  /** The layer that holds this (link-free) path, or the mount that covers it. */
  owner(path: string): { readonly layer: Layer; readonly mounted: boolean; readonly rest: string } {
    const mount = this.#mounts.filter(({ at }) => covers(at, path)).sort((a, b) => b.at.length - a.at.length)[0];
    const layer = this.#layers.find(({ at }) => covers(at, path));
    if (mount !== undefined) return { layer: mount, mounted: true, rest: below(mount.at, path) };
    if (layer === undefined) throw new RuntimeError("invalid-argument", `${path} is not a path in the container`);
    return { layer, mounted: false, rest: below(layer.at, path) };
  }

  #stat(host: string, isLower: boolean): Stats | undefined {
    return isLower && this.lowerStats !== undefined ? this.lowerStats.lstat(host) : lstatOrUndefined(host);
  }

  #lookup(path: string): Found | undefined {
    if (this.#known.has(path)) return this.#known.get(path);
    const found = this.#find(path);
    if (this.lowerStats !== undefined) this.#known.set(path, found);
    return found;
  }

  #find(path: string): Found | undefined {
    const { layer, rest, mounted } = this.owner(path);
    for (const base of [layer.upper, layer.lower]) {
      if (base === undefined) continue;
      const host = rest === "" ? base : `${base === "/" ? "" : base}/${rest}`;
      if (base === layer.lower && layer.hides?.some((mountPoint) => host.startsWith(`${mountPoint}/`))) continue;
      const stat = this.#stat(host, base === layer.lower && (!mounted || layer.kernel === true));
      if (stat !== undefined) return { host, stat };
    }
    return undefined;
  }
}

function split(path: string): string[] {
  return path.split("/").filter((part) => part !== "" && part !== ".");
}

function below(at: string, path: string): string {
  return posix.relative(at, path);
}
