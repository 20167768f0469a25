/**
 * One certificate and its key on disk, as client-go's file store has them: `NAME-2026-01-31-12-00-00.pem` with
 * `NAME-current.pem`, a link to the newest. All of it is 0600, and each step is whole or not at all.
 */
import { mkdir, readdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@hooklet/core";
import { whenGone } from "@hooklet/core/subsystem";
import { writeFileAtomic } from "@hooklet/linux";
import { type Pair, pairText, readPair } from "./pair.js";

/** Files that are kept: the current one and the one before it. */
const KEPT = 2;

export class PairStore {
  /** `folder`: absolute; made when needed. `name`: `kubelet-client`, `kubelet-server`. */
  constructor(
    private readonly folder: string,
    private readonly name: string,
    private readonly clock: Pick<Clock, "now">,
  ) {}

  get currentPath(): string {
    return join(this.folder, `${this.name}-current.pem`);
  }

  /** Undefined: there is none. @throws NodeAgentError INVALID for what is no pair; the system's error */
  async current(): Promise<Pair | undefined> {
    const path = this.currentPath;
    const text = await whenGone(undefined, () => readFile(path, "utf8"));
    return text === undefined ? undefined : readPair(text, path);
  }

  /** From now on this is the current one. */
  async update(pair: Pick<Pair, "cert" | "key">): Promise<Pair> {
    const text = pairText(pair);
    const fresh = readPair(text, `a new certificate for ${this.currentPath}`);
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    const file = `${this.name}-${stamp(this.clock.now())}.pem`;
    await writeFileAtomic(join(this.folder, file), text);
    const link = join(this.folder, `${this.name}-updated.pem`);
    await rm(link, { force: true });
    await symlink(file, link);
    await rename(link, this.currentPath);
    await this.#forgetOlder(file);
    return fresh;
  }

  /** The key of a request that is not signed yet. */
  async pendingKey(): Promise<string | undefined> {
    return whenGone(undefined, () => readFile(this.#pending, "utf8"));
  }

  async keepPendingKey(key: string): Promise<void> {
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await writeFileAtomic(this.#pending, key);
  }

  async dropPendingKey(): Promise<void> {
    await rm(this.#pending, { force: true });
  }

  get #pending(): string {
    return join(this.folder, `${this.name}.key.tmp`);
  }

  /** `current`: stays, with any date: the clock may have been set back. */
  async #forgetOlder(current: string): Promise<void> {
    const dated = new RegExp(`^${this.name}-\\d{4}(-\\d\\d){5}\\.pem$`);
    const files = (await readdir(this.folder)).filter((file) => file !== current && dated.test(file)).sort();
    for (const file of files.slice(0, 1 - KEPT)) await rm(join(this.folder, file), { force: true });
  }
}

/** In UTC: names sort by time, in any time zone of the machine. */
function stamp(now: number): string {
  return new Date(now).toISOString().slice(0, 19).replace(/[T:]/g, "-");
}
