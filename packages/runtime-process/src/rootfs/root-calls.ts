/** Calls on containers' files: in this process where nothing can hang, in a subprocess elsewhere. */
import { join } from "node:path";
import { type Clock, isRuntimeError } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import { podVolumeOf } from "@hooklet/core/internal";
import { covers, HelperPool, type MountedFs, readMounts } from "@hooklet/linux";
import type { ContainerRecord } from "../container-record.js";
import {
  type CommandRequest,
  checkCommandIn,
  makeMissingSource,
  type PreparedRoot,
  prepareRoot,
  type RootRequest,
} from "./prepare-root.js";
import { foreignPath, isOwnPath } from "./reach.js";
import type { LowerStats } from "./view.js";

export interface RootCallsOptions {
  readonly clock: Clock;
  readonly rootDir: string;
  readonly shownMounts: ReadonlySet<string>;
  readonly lowerStats: LowerStats;
  /** Milliseconds; for tests. */
  readonly deadline?: number;
}

/** Milliseconds. The kernel's list has a line for each pod: read for each container, it would make the start of many pods quadratic. */
const RECENT_MS = 100;

export class RootCalls {
  readonly #pool: HelperPool;
  #recent: { readonly at: number; readonly mounts: readonly MountedFs[] } | undefined;

  constructor(private readonly options: RootCallsOptions) {
    const { clock, deadline } = options;
    const module = new URL("./root-helper.js", import.meta.url);
    this.#pool = new HelperPool({ clock, module, ...(deadline !== undefined && { deadline }) });
  }

  async prepare(record: ContainerRecord, request: RootRequest): Promise<PreparedRoot> {
    // In a user namespace the set-up repeats the flags of all mounts: one that has just gone would fail it.
    const mounts = request.assemble?.userNamespace === true ? readMounts() : this.#mountsFor(sourcesOf(record));
    const foreign = this.#foreign(record, mounts);
    if (foreign === undefined) return prepareRoot(request, this.options.lowerStats, mounts);
    return this.#apart("prepareRoot", request, foreign);
  }

  async checkCommandIn(record: ContainerRecord, request: CommandRequest & { readonly root: string }): Promise<void> {
    const foreign = this.#foreign(record, this.#mountsFor(sourcesOf(record)));
    if (foreign === undefined) checkCommandIn(request);
    else await this.#apart("checkCommandIn", request, foreign);
  }

  /** A volume source that is not there becomes an empty folder, as containerd does it. */
  async makeSource(hostPath: string): Promise<void> {
    if (!isOwnPath(this.#mountsFor([hostPath]), this.options.rootDir, hostPath))
      await this.#apart("makeSource", hostPath, hostPath);
    else makeMissingSource(hostPath);
  }

  close(): void {
    this.#pool.close();
  }

  /** As they are now, unless all paths are files of a pod: something that hangs may just have been mounted anywhere else. */
  #mountsFor(paths: readonly string[]): readonly MountedFs[] {
    const pods = join(this.options.rootDir, "pods");
    const isPlain = paths.every((path) => covers(pods, path) && podVolumeOf(path) === undefined);
    return isPlain ? this.#recentMounts() : readMounts();
  }

  #recentMounts(): readonly MountedFs[] {
    const now = this.options.clock.monotonic();
    if (this.#recent === undefined || now - this.#recent.at > RECENT_MS)
      this.#recent = { at: now, mounts: readMounts() };
    return this.#recent.mounts;
  }

  #foreign(record: ContainerRecord, mounts: readonly MountedFs[]): string | undefined {
    const { rootDir, shownMounts } = this.options;
    return foreignPath(mounts, rootDir, shownMounts, record);
  }

  async #apart<Value>(operation: string, input: unknown, path: string): Promise<Value> {
    try {
      return await this.#pool.call(operation, input, path, podVolumeOf(path));
    } catch (error) {
      // From the helper, whose errors come without their class.
      if (isRuntimeError(error)) throw new RuntimeError(error.code, error.message, { cause: error });
      throw error;
    }
  }
}

function sourcesOf({ config }: ContainerRecord): readonly string[] {
  return config.mounts.map(({ hostPath }) => hostPath);
}
