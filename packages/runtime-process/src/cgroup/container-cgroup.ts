/** The cgroup of one container in all hierarchies. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { join } from "node:path";
import { errno, errorText, type LinuxContainerResources } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import { isMissing } from "../fs-errors.js";
import { identify, signalProcess } from "../proc/identity.js";
import type { Hierarchy } from "./hierarchies.js";
import { limitsV1, limitsV2 } from "./limits.js";
import { makeCgroup, removeCgroup } from "./tree.js";

export class ContainerCgroup {
  constructor(
    readonly hierarchies: readonly Hierarchy[],
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

  /** Throws `invalid-argument` naming the file and the value that the kernel refused. */
  update(resources: LinuxContainerResources): void {
    const v2 = this.hierarchies[0]?.version === 2;
    for (const { controller, file, value } of v2 ? limitsV2(resources) : limitsV1(resources)) {
      const folder = v2 ? this.hierarchies[0] : this.#of(controller);
      if (folder === undefined) {
        throw new RuntimeError(
          "failed-precondition",
          `cannot set ${file} to ${value}: no cgroup hierarchy with the controller ${controller} can be written here`,
        );
      }
      const path = join(folder.mountPoint, this.path, file);
      try {
        writeFileSync(path, value, { flag: "r+" });
      } catch (error) {
        throw new RuntimeError("invalid-argument", `cannot set ${path} to ${value}: ${errorText(error)}`, {
          cause: error,
        });
      }
    }
  }

  /** The files that take a process in. */
  get procsFiles(): string[] {
    return this.hierarchies.map(({ mountPoint }) => join(mountPoint, this.path, "cgroup.procs"));
  }

  /** Processes in it and below it in the first hierarchy. */
  members(): number[] {
    return this.procsFiles[0] === undefined ? [] : readPids(this.procsFiles[0]);
  }

  /** One round of KILL for every process. With a freezer no process can fork away from it. */
  kill(): void {
    const v2 = this.hierarchies.find(({ version }) => version === 2);
    if (v2 !== undefined && tryWrite(join(v2.mountPoint, this.path, "cgroup.kill"), "1")) return;
    const freezer = this.#of("freezer");
    const state = freezer && join(freezer.mountPoint, this.path, "freezer.state");
    const frozen = state !== undefined && tryWrite(state, "FROZEN");
    const found = this.members().flatMap((pid) => identify(pid) ?? []);
    // Who still is in it now is who was looked at: a pid given anew would be somebody's outside.
    const still = new Set(this.members());
    for (const member of found) if (still.has(member.pid)) signalProcess(member, constants.signals.SIGKILL);
    if (frozen) tryWrite(state, "THAWED");
  }

  /** How often the kernel killed a process in it for want of memory. */
  oomKills(): number {
    const v1 = this.#of("memory");
    const file = v1 !== undefined ? join(v1.mountPoint, this.path, "memory.oom_control") : this.#file("memory.events");
    const found = /^oom_kill (\d+)$/m.exec(readText(file));
    return found === null ? 0 : Number(found[1]);
  }

  /** True when all its folders are gone. */
  remove(): boolean {
    return this.hierarchies.map((hierarchy) => removeCgroup(hierarchy, this.path)).every((gone) => gone);
  }

  get exists(): boolean {
    return this.hierarchies.some(({ mountPoint }) => existsSync(join(mountPoint, this.path)));
  }

  usage(): { readonly cpuNanoSeconds?: number; readonly workingSetBytes?: number } {
    const v2 = this.hierarchies.some(({ version }) => version === 2);
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

  #of(controller: string): Hierarchy | undefined {
    return this.hierarchies.find(({ controllers }) => controllers.has(controller));
  }

  #file(name: string, controller?: string): string | undefined {
    const hierarchy = controller === undefined ? this.hierarchies[0] : this.#of(controller);
    return hierarchy && join(hierarchy.mountPoint, this.path, name);
  }
}

function readPids(file: string): number[] {
  return readText(file)
    .split("\n")
    .map(Number)
    .filter((pid) => pid > 1);
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

function tryWrite(file: string, value: string): boolean {
  try {
    writeFileSync(file, value, { flag: "r+" });
    return true;
  } catch (error) {
    if (isMissing(error) || errno(error) === "ENODEV" || errno(error) === "EBUSY") return false;
    throw error;
  }
}
