/** The cgroup of one container in all hierarchies. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Clock, errorText } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import type { CgroupHierarchy } from "@hooklet/core/rules";
import { errno, type LinuxContainerResources, unless } from "@hooklet/core/subsystem";
import { identify, kernelFiles, killCgroup, type ProcessIdentity, pidsBelow, removeCgroup } from "@hooklet/linux";
import { isMissing } from "../state-text.js";
import { makeCgroup } from "./hierarchies.js";
import { inOrder, limitsV1, limitsV2 } from "./limits.js";

/** The kernel lets go of a cgroup a moment after its last process. */
const PATIENCE_MS = 5000;

export class ContainerCgroup {
  constructor(
    readonly hierarchies: readonly CgroupHierarchy[],
    /** cgroupfs path, the same in all hierarchies. */
    readonly path: string,
  ) {}

  /** Makes it and writes the limits. Throws with the file that was refused. */
  create(resources: LinuxContainerResources): void {
    try {
      for (const hierarchy of this.hierarchies) makeCgroup(hierarchy, this.path);
    } catch (error) {
      throw new RuntimeError("unknown", `cannot make cgroup ${this.path}: ${errorText(error)}`, { cause: error });
    }
    this.update(resources);
  }

  /** All of it or nothing. Throws `invalid-argument` naming the file and the value that the kernel refused. */
  update(resources: LinuxContainerResources): void {
    const v2 = this.hierarchies[0]?.version === "v2";
    const writes = (v2 ? limitsV2(resources) : limitsV1(resources)).map(({ controller, file, value }) => {
      const folder = v2 ? this.hierarchies[0] : this.#of(controller);
      if (folder !== undefined) return { path: join(folder.mountPoint, this.path, file), value };
      throw new RuntimeError(
        "failed-precondition",
        `cannot set ${file} to ${value}: no cgroup hierarchy with the controller ${controller} can be written here`,
      );
    });
    const done: { readonly path: string; readonly value: string }[] = [];
    for (const { path, value } of inOrder(writes, readText)) {
      try {
        const before = { path, value: readText(path).trim() };
        writeFileSync(path, value, { flag: "r+" });
        done.unshift(before);
      } catch (error) {
        for (const earlier of done) {
          unless(["EINVAL", "EBUSY"], undefined, () => writeFileSync(earlier.path, earlier.value, { flag: "r+" }));
        }
        throw new RuntimeError("invalid-argument", `cannot set ${path} to ${value}: ${errorText(error)}`, {
          cause: error,
        });
      }
    }
  }

  /** The files that take a process in. */
  get procsFiles(): string[] {
    return this.#folders.map((folder) => join(folder, "cgroup.procs"));
  }

  /** Processes in it and below it in the first hierarchy. */
  members(): readonly number[] {
    return pidsBelow(kernelFiles, this.#folders.slice(0, 1));
  }

  /** One round of KILL for every process in it and below it. `kill`: false when it is gone. */
  async kill(kill: (target: ProcessIdentity) => Promise<boolean>): Promise<void> {
    await killCgroup(kernelFiles, this.#folders, { identify, kill });
  }

  /** Number of OOM kills in it. */
  oomKills(): number {
    const v1 = this.#of("memory");
    const file = v1 !== undefined ? join(v1.mountPoint, this.path, "memory.oom_control") : this.#file("memory.events");
    const found = /^oom_kill (\d+)$/m.exec(readText(file));
    return found === null ? 0 : Number(found[1]);
  }

  /** Rejects with `deadline-exceeded` when something of it is left. */
  async remove(clock: Clock): Promise<void> {
    const left = await removeCgroup(kernelFiles, this.#folders, clock, { pause: 1, patience: PATIENCE_MS });
    if (left.length === 0) return;
    throw new RuntimeError(
      "deadline-exceeded",
      `cgroup ${this.path} is still in use ${PATIENCE_MS / 1000} s after its last process`,
    );
  }

  get exists(): boolean {
    return this.hierarchies.some(({ mountPoint }) => existsSync(join(mountPoint, this.path)));
  }

  usage(): { readonly cpuNanoSeconds?: number; readonly workingSetBytes?: number } {
    const v2 = this.hierarchies.some(({ version }) => version === "v2");
    const cpu = v2
      ? numberAfter(readText(this.#file("cpu.stat")), "usage_usec") * 1000
      : Number(readText(this.#file("cpuacct.usage", "cpuacct")) || Number.NaN);
    const used = Number(
      readText(v2 ? this.#file("memory.current") : this.#file("memory.usage_in_bytes", "memory")) || Number.NaN,
    );
    const stat = readText(this.#file("memory.stat", v2 ? undefined : "memory"));
    const inactive = numberAfter(stat, v2 ? "inactive_file" : "total_inactive_file");
    return {
      ...(Number.isFinite(cpu) && { cpuNanoSeconds: cpu }),
      ...(Number.isFinite(used) && { workingSetBytes: Math.max(0, used - (inactive || 0)) }),
    };
  }

  get #folders(): readonly string[] {
    return this.hierarchies.map(({ mountPoint }) => join(mountPoint, this.path));
  }

  #of(controller: string): CgroupHierarchy | undefined {
    return this.hierarchies.find(({ controllers }) => controllers.includes(controller));
  }

  #file(name: string, controller?: string): string | undefined {
    const hierarchy = controller === undefined ? this.hierarchies[0] : this.#of(controller);
    return hierarchy && join(hierarchy.mountPoint, this.path, name);
  }
}

function numberAfter(text: string, key: string): number {
  const found = new RegExp(`^${key} (\\d+)$`, "m").exec(text);
  return found === null ? Number.NaN : Number(found[1]);
}

/** "" when it is not there: a cgroup may go at any time. */
function readText(file: string | undefined): string {
  if (file === undefined) return "";
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    if (isMissing(error) || errno(error) === "ENODEV" || errno(error) === "EOPNOTSUPP") return "";
    throw error;
  }
}
