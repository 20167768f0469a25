/** Folders and small files in memory that behave as the kernel's file systems. */
import type { KernelFileReader, KernelFiles } from "@hooklet/core/subsystem";

export interface KernelTreeOptions {
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** Files that a folder has from its making on, by name. */
  readonly newFolder?: (path: string) => Readonly<Record<string, string>>;
  /** What stands in a file after a write; default: the value. */
  readonly written?: (path: string, value: string, before: string) => string;
  /** Called for each write instead of noting it in `writes`: for runs that last. `before`: what stood there. */
  readonly onWrite?: (path: string, value: string, before: string) => void;
}

interface Folder {
  /** Files that were written or read, and subfolders. */
  readonly entries: Set<string>;
  /** Initial files that were not read yet: of thousands of cgroups most are never read. */
  own: Readonly<Record<string, string>>;
  readonly madeAt: number;
}

const NONE: Readonly<Record<string, string>> = {};

/** Kernel files of a test: what stands in them is set, what is written is noted, and any of it may fail. */
export class KernelTree implements KernelFiles {
  /** Writes that came, in order: `path=value`. */
  readonly writes: string[] = [];
  readonly #folders = new Map<string, Folder>();
  readonly #files = new Map<string, { text: string; changedAt: number }>();
  readonly #faults = new Map<string, string>();
  /** Paths by name, for the names that were read. */
  readonly #named = new Map<string, Set<string>>();
  readonly #options: KernelTreeOptions;

  constructor(options: KernelTreeOptions = {}) {
    this.#options = options;
    this.#folders.set("/", { entries: new Set(), own: NONE, madeAt: this.#now() });
  }

  read(path: string): string | undefined {
    // Statistics read a thousand files at once: the name of a fault is only built when faults are set.
    if (this.#faults.size > 0) this.#mayFail(`read ${path}`, path);
    return this.#file(path)?.text;
  }

  write(path: string, value: string): void {
    this.#mayFail(path, path);
    const file = this.#file(path);
    if (file === undefined) throw failure("ENOENT", path);
    if (this.#options.onWrite === undefined) this.writes.push(`${path}=${value}`);
    else this.#options.onWrite(path, value, file.text);
    file.text = this.#options.written?.(path, value, file.text) ?? value;
    file.changedAt = this.#now();
  }

  async writeSlowly(path: string, value: string): Promise<void> {
    this.write(path, value);
  }

  makeDirectory(path: string): boolean {
    this.#mayFail(path, path);
    if (this.#folders.has(path)) return false;
    if (!this.#folders.has(parentOf(path))) throw failure("ENOENT", path);
    this.#add(path);
    return true;
  }

  removeDirectory(path: string): boolean {
    this.#mayFail(`remove ${path}`, path);
    const folder = this.#folders.get(path);
    if (folder === undefined) return true;
    const busy = (this.#files.get(`${path}/cgroup.procs`)?.text ?? "") !== "";
    if (busy || this.directories(path).length > 0) return false;
    for (const name of folder.entries) this.#drop(join(path, name), name);
    for (const [name, paths] of this.#named) paths.delete(join(path, name));
    this.#folders.delete(path);
    this.#folders.get(parentOf(path))?.entries.delete(nameOf(path));
    return true;
  }

  directories(path: string): readonly string[] {
    return [...(this.#folders.get(path)?.entries ?? [])].filter((name) => this.#folders.has(join(path, name)));
  }

  entries(path: string): readonly string[] {
    const folder = this.#folders.get(path);
    return folder === undefined ? [] : [...new Set([...Object.keys(folder.own), ...folder.entries])];
  }

  changedAt(path: string): number | undefined {
    return this.#folders.get(path)?.madeAt ?? this.#file(path)?.changedAt;
  }

  reader(): KernelFileReader {
    return { read: (path) => this.read(path), close: () => {} };
  }

  /** Puts text into a file, as if the kernel had; the folders above are made. */
  set(path: string, text: string): void {
    this.addFolder(parentOf(path));
    const name = nameOf(path);
    this.#put(path, name, text);
    this.#folders.get(parentOf(path))?.entries.add(name);
  }

  /** Takes a file away. */
  unset(path: string): void {
    const name = nameOf(path);
    this.#drop(path, name);
    const folder = this.#folders.get(parentOf(path));
    if (folder === undefined) return;
    folder.entries.delete(name);
    if (!Object.hasOwn(folder.own, name)) return;
    const { [name]: _, ...left } = folder.own;
    folder.own = left;
  }

  /** Makes a folder and all above it. */
  addFolder(path: string): void {
    if (this.#folders.has(path)) return;
    this.addFolder(parentOf(path));
    this.#add(path);
  }

  /**
   * From now on writes to a file, or the making of a folder, fail with this errno; with `read ` or `remove ` before the path, reads
   * or removals. Undefined: no longer.
   */
  fail(path: string, errno: string | undefined): void {
    if (errno === undefined) this.#faults.delete(path);
    else this.#faults.set(path, errno);
  }

  /** Paths of all files with this name. */
  filesNamed(name: string): readonly string[] {
    const known = this.#named.get(name);
    if (known !== undefined) return [...known];
    const found = new Set([...this.#files.keys()].filter((path) => nameOf(path) === name));
    for (const [path, { own }] of this.#folders) if (Object.hasOwn(own, name)) found.add(join(path, name));
    this.#named.set(name, found);
    return [...found];
  }

  #file(path: string): { text: string; changedAt: number } | undefined {
    const known = this.#files.get(path);
    if (known !== undefined) return known;
    const folder = this.#folders.get(parentOf(path));
    const name = nameOf(path);
    if (folder === undefined || !Object.hasOwn(folder.own, name)) return undefined;
    const file = { text: folder.own[name] as string, changedAt: folder.madeAt };
    this.#files.set(path, file);
    folder.entries.add(name);
    return file;
  }

  #put(path: string, name: string, text: string): void {
    this.#files.set(path, { text, changedAt: this.#now() });
    this.#named.get(name)?.add(path);
  }

  #drop(path: string, name: string): void {
    this.#files.delete(path);
    this.#named.get(name)?.delete(path);
  }

  #add(path: string): void {
    const own = this.#options.newFolder?.(path) ?? NONE;
    this.#folders.set(path, { entries: new Set(), own, madeAt: this.#now() });
    this.#folders.get(parentOf(path))?.entries.add(nameOf(path));
    for (const [name, paths] of this.#named) if (Object.hasOwn(own, name)) paths.add(join(path, name));
  }

  #now(): number {
    return this.#options.now?.() ?? 0;
  }

  #mayFail(what: string, path: string): void {
    const errno = this.#faults.get(what);
    if (errno !== undefined) throw failure(errno, path);
  }
}

export function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

export function parentOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/")) || "/";
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function join(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}
