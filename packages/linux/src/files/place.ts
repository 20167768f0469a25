/**
 * Places of the file system that are held open while work is done below them. Containers write to volumes and to mounted
 * log directories: a path that was checked a moment ago may lead elsewhere now, an open folder does not.
 * Every step goes over one name, never over a link (openat with O_PATH and O_NOFOLLOW, through /proc/self/fd).
 */
import { constants, type Stats } from "node:fs";
import { errno, unless } from "@hooklet/utils";
import { disk } from "./disk.js";

/** Not among Node's constants. */
const O_PATH = 0o10000000;
const STEP = O_PATH | constants.O_NOFOLLOW;

export class Place {
  #mount: string | undefined;

  private constructor(
    readonly fd: number,
    readonly stat: Stats,
  ) {}

  /** Links on the way to `path` are followed, one at its end is not. Throws as open(2) does. */
  static open(path: string): Place {
    return Place.#opened(disk.openSync(path, STEP));
  }

  /** Opens `path`, does the work with it, closes it. */
  static with<T>(path: string, work: (place: Place) => T): T {
    const place = Place.open(path);
    try {
      return work(place);
    } finally {
      place.close();
    }
  }

  static #opened(fd: number): Place {
    try {
      return new Place(fd, disk.fstatSync(fd));
    } catch (error) {
      disk.closeSync(fd);
      throw error;
    }
  }

  /** A path that leads to this very place, for calls that know paths alone. Valid in this process until `close`. */
  get path(): string {
    return `/proc/self/fd/${this.fd}`;
  }

  /** The path of one of its entries. Valid as `path` is; open it with O_NOFOLLOW. */
  at(name: string): string {
    return `${this.path}/${checkedName(name)}`;
  }

  /** An entry, or undefined when it is not there. A link is opened itself, its `stat` says so. */
  child(name: string): Place | undefined {
    return unless(["ENOENT"], undefined, () => Place.#opened(disk.openSync(this.at(name), STEP)));
  }

  /** A folder below, over folders alone. Throws ENOENT, or ENOTDIR when a link or another file is on the way. */
  descend(names: readonly string[]): Place {
    let here = Place.#opened(disk.openSync(this.path, O_PATH));
    try {
      for (const name of names) {
        const next = here.child(name);
        if (next === undefined) throw fault("ENOENT", `${name}: no such file or directory`);
        here.close();
        here = next;
        if (!here.stat.isDirectory())
          throw fault("ENOTDIR", `${name}: expected a directory, found ${kindOf(here.stat)}`);
      }
      return here;
    } catch (error) {
      here.close();
      throw error;
    }
  }

  /** The folder `name`, created with `mode` (with any umask) when it is missing; undefined when something else is there. */
  folder(name: string, mode: number, made?: (place: Place) => void): Place | undefined {
    let isNew = true;
    try {
      disk.mkdirSync(this.at(name), { mode: 0o700 });
    } catch (error) {
      if (errno(error) !== "EEXIST") throw error;
      isNew = false;
    }
    const place = this.child(name);
    if (place === undefined) throw fault("ENOENT", `${name} went away as soon as it was made`);
    if (!place.stat.isDirectory()) {
      place.close();
      return undefined;
    }
    if (!isNew) return place;
    try {
      place.chmod(mode);
      made?.(place);
      return place;
    } catch (error) {
      place.close();
      throw error;
    }
  }

  chmod(mode: number): void {
    disk.chmodSync(this.path, mode);
  }

  /** The kernel's number of the mount that it lies on: tells bind mounts of one file system apart. */
  get mount(): string {
    this.#mount ??= /^mnt_id:\s*(\d+)/m.exec(disk.readFileSync(`/proc/self/fdinfo/${this.fd}`, "latin1"))?.[1] ?? "";
    return this.#mount;
  }

  close(): void {
    disk.closeSync(this.fd);
  }
}

/** What is no name of one entry could lead elsewhere. */
function checkedName(name: string): string {
  if (name !== "" && name !== "." && name !== ".." && !name.includes("/") && !name.includes("\0")) return name;
  throw fault("EINVAL", `expected the name of one entry of a directory, found ${JSON.stringify(name)}`);
}

function kindOf(stat: Stats): string {
  if (stat.isSymbolicLink()) return "a symbolic link";
  return stat.isFile() ? "a file" : "something else";
}

function fault(code: string, text: string): Error {
  return Object.assign(new Error(text), { code });
}
