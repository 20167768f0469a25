/** What the manager tells, each thing once. */

import type { NodeContext, Pod } from "@hooklet/core";
import { Once } from "@hooklet/utils";
import type { Refused, Report } from "../apply/cgroup.js";
import { sameValue } from "../apply/compare.js";

/** The listeners of the manager. Must not throw. */
export interface Reports {
  /** A file or cgroup was changed from outside and is repaired. `pod`: its pod, or undefined for the node's. */
  repaired(message: string, pod: Pod | undefined): void;
  /** The kernel refused a value; reported once until it changes. */
  refused(refusal: Refused, pod: Pod | undefined): void;
  removedOrphan(path: string, killed: number): void;
  /** Processes in a pod cgroup that is not this agent's: it is left alone. */
  foreign(path: string, processes: number): void;
  failedRemoval(path: string, message: string): void;
  /** How long an operation took, seconds. */
  took(operation: "create" | "update" | "destroy", seconds: number): void;
}

interface Place {
  readonly path: string;
  readonly file: string;
}

export class ReportsOnce {
  /** The last refusal of each file. */
  readonly #refusals = new Map<string, Refused>();
  /** What was last wanted of the node's own files, which change with the pods. */
  #wanted = new Map<string, string>();

  constructor(private readonly target: Reports) {}

  /** What the kernel refuses at the moment. */
  refusals(): readonly Refused[] {
    return [...this.#refusals.values()];
  }

  /** Each refusal in a cgroup once, until it is another one or gone. */
  refused({ refused }: Report, path: string, pod: Pod | undefined): void {
    const now = new Map(refused.filter((one) => one.path === path).map((one) => [keyOf(one), one]));
    for (const [key, { path: of }] of this.#refusals) if (of === path && !now.has(key)) this.#refusals.delete(key);
    for (const [key, refusal] of now) {
      const before = this.#refusals.get(key);
      this.#refusals.set(key, refusal);
      if (before?.wanted !== refusal.wanted || before.errno !== refusal.errno) this.target.refused(refusal, pod);
    }
  }

  /** A cgroup that is gone for good refuses nothing any more. */
  forget(path: string): void {
    for (const [key, { path: of }] of this.#refusals) if (of === path) this.#refusals.delete(key);
  }

  /** Notes what is wanted of the node's own files, and gives what was wanted before. */
  want(plan: readonly (Place & { readonly value: string })[]): ReadonlyMap<string, string> {
    const before = this.#wanted;
    this.#wanted = new Map([...before, ...plan.map((setting) => [keyOf(setting), setting.value] as const)]);
    return before;
  }

  /**
   * Reports repairs. @param wanted the last values written by the agent, for files whose values change with the pods: a file
   * that held exactly that value was not changed from outside
   */
  repaired({ made, written }: Report, pod: Pod | undefined, wanted?: ReadonlyMap<string, string>): void {
    for (const path of made) this.target.repaired(`cgroup ${path} was gone and was made again`, pod);
    for (const setting of written) {
      const { path, file, value, before = "missing" } = setting;
      const last = wanted?.get(keyOf(setting));
      if (made.includes(path) || (wanted && (last === undefined || sameValue(file, last, before)))) continue;
      this.target.repaired(`${file} of cgroup ${path} was ${before}, set to ${value} again`, pod);
    }
  }
}

function keyOf({ path, file }: Place): string {
  return `${path}/${file}`;
}

/** What the manager tells, as events, log lines and metrics. */
export function reporter(ctx: NodeContext, took: (operation: string, seconds: number) => void): Reports {
  const foreign = new Once();
  return {
    repaired(message, pod) {
      ctx.log.warn(message);
      if (pod === undefined) ctx.events.node("Warning", "CgroupRepaired", message);
      else ctx.events.pod(pod, "Warning", "CgroupRepaired", message);
    },
    refused({ path, message }, pod) {
      ctx.log.error(message);
      if (pod !== undefined) ctx.events.pod(pod, "Warning", "FailedCgroupUpdate", message);
      else {
        const text = `Failed to update Node Allocatable Limits ${JSON.stringify(path)}: ${message}`;
        ctx.events.node("Warning", "FailedNodeAllocatableEnforcement", text);
      }
    },
    removedOrphan: (path, killed) =>
      ctx.log.info(`removed cgroup ${path} of a pod that is gone, with ${killed} processes left in it`),
    foreign(path, processes) {
      if (!foreign.isNews(path)) return;
      const message = `cgroup ${path} holds ${processes} processes of no pod of this agent: it is left alone`;
      ctx.log.warn(message);
      ctx.events.node("Warning", "ForeignPodCgroup", message);
    },
    failedRemoval: (path, message) => ctx.log.error(`cgroup ${path} stays until the next look: ${message}`),
    took,
  };
}
