/** Keeps the cgroups of the node and its pods as the rules want them. All I/O goes through the files it is given. */
import { type Clock, errorText, NodeAgentError, type Pod } from "@hooklet/core";
import { applyPlan, type Refused, type Report } from "../apply/apply.js";
import { sameValue } from "../apply/compare.js";
import { removeCgroup } from "../apply/remove.js";
import { allFolders, type CgroupLayout } from "../host/hierarchies.js";
import { pidsBelow } from "../host/pids.js";
import type { CgroupFiles } from "../host/port.js";
import { cgroupPath } from "../name/name.js";
import { nodePlan, qosPlan, type ReservedKey, reservedPath, reservedPlan } from "../plan/node-plan.js";
import type { NodeRules } from "../plan/node-rules.js";
import { podPath, podPlan } from "../plan/pod-plan.js";
import type { Plan } from "../plan/setting.js";
import { readUsage } from "../stats/usage.js";
import { QosAccount } from "./account.js";
import { findPodCgroups, orphanVerdict } from "./orphans.js";
import { cappedAtUsage } from "./qos-memory.js";

/** Whom the manager tells. Nothing here may throw. */
export interface Told {
  /** A file or cgroup of the agent's was changed by somebody else, and is right again. `pod`: whose, or the node's own. */
  repaired(message: string, pod: Pod | undefined): void;
  /** The kernel refused something; told once until it changes. */
  refused(refusal: Refused, pod: Pod | undefined): void;
  removedOrphan(path: string, killed: number): void;
  /** Processes in a pod cgroup that is not this agent's: it is left alone. */
  foreign(path: string, processes: number): void;
  failedRemoval(path: string, message: string): void;
  /** How long an operation took, seconds. */
  took(operation: "create" | "update" | "destroy", seconds: number): void;
}

export interface ManagerParts {
  readonly files: CgroupFiles;
  readonly layout: CgroupLayout;
  readonly rules: NodeRules;
  readonly clock: Clock;
  readonly told: Told;
  /** Called when the set of own pods changed: remember them. */
  readonly ownedChanged: () => void;
}

interface Entry {
  readonly pod: Pod;
  readonly path: string;
}

export class CgroupManager {
  readonly #parts: ManagerParts;
  readonly #account = new QosAccount();
  readonly #pods = new Map<string, Entry>();
  /** Uids of pods whose cgroups this agent, or one before it, made. */
  readonly #owned = new Set<string>();
  readonly #removals = new Map<string, Promise<void>>();
  /** The last refusal of each file, so that it is told once. */
  readonly #refusals = new Map<string, Refused>();
  /** What was last wanted of the node's own files, which change with the pods. */
  readonly #lastWanted = new Map<string, string>();

  constructor(parts: ManagerParts) {
    this.#parts = parts;
  }

  get rules(): NodeRules {
    return this.#parts.rules;
  }

  /** Pods whose cgroups are kept, with their paths. */
  pods(): readonly Entry[] {
    return [...this.#pods.values()];
  }

  /** What the kernel refuses at the moment. */
  refusals(): readonly Refused[] {
    return [...this.#refusals.values()];
  }

  /** Uids to remember over a restart. */
  owned(): readonly string[] {
    return [...this.#owned];
  }

  /** From an earlier life, or from what the runtime shows. */
  adopt(uids: Iterable<string>): void {
    for (const uid of uids) this.#owned.add(uid);
  }

  /** The node's plan as it is now. */
  nodePlan(): Plan {
    return nodePlan(this.rules, this.#account.sums);
  }

  /**
   * Makes the QoS tree. @throws NodeAgentError when the tree cannot be made at all, or in the kubelet's words when a
   * reservation of the system cannot be enforced
   */
  async open(pods: readonly Pod[]): Promise<void> {
    this.#account.set(pods);
    const report = await this.#applyNode();
    const failed = report.refused.find(({ wanted }) => wanted === "the cgroup");
    if (failed !== undefined) {
      throw new NodeAgentError("INVALID", `failed to create top level QOS cgroup ${failed.path} : ${failed.message}`);
    }
  }

  /** Writes one reservation of the system. @throws NodeAgentError in the kubelet's words */
  async enforceReserved(key: ReservedKey): Promise<string> {
    const { files, layout } = this.#parts;
    const path = reservedPath(this.rules, key);
    const { refused } = await applyPlan(files, layout, reservedPlan(this.rules, key), { make: false });
    const [first] = refused;
    if (first === undefined) return path;
    const what = key.startsWith("system") ? "System" : "Kube";
    const compressible = key.endsWith("-compressible") ? " Compressible" : "";
    throw new NodeAgentError(
      "INVALID",
      `Failed to enforce ${what} Reserved${compressible} Cgroup Limits on ${JSON.stringify(path)}: ${first.message}`,
    );
  }

  /**
   * The pod's cgroup, made or brought in order, and the QoS cgroups with it. Files that the kernel refuses are told and no
   * reason to stop, as in the kubelet. @throws NodeAgentError in the kubelet's words when it cannot be made
   */
  async ensurePod(pod: Pod): Promise<string> {
    const { files, layout, clock, told } = this.#parts;
    const { uid } = pod.metadata;
    const path = podPath(pod, this.rules);
    await this.#removals.get(path);
    const began = clock.monotonic();
    this.#pods.set(uid, { pod, path });
    this.#account.put(pod);
    if (!this.#owned.has(uid)) {
      this.#owned.add(uid);
      this.#parts.ownedChanged();
    }
    await this.#applyQos();
    const report = await applyPlan(files, layout, podPlan(pod, this.rules));
    const failed = report.refused.find(({ wanted }) => wanted === "the cgroup");
    if (failed !== undefined) {
      throw new NodeAgentError("INVALID", `failed to create container for ${path} : ${failed.message}`);
    }
    this.#tell(report, path, pod);
    told.took("create", (clock.monotonic() - began) / 1000);
    return path;
  }

  /** Once no container of the pod runs any more. Never throws: what is left goes with the orphans. */
  removePod(uid: string): Promise<void> {
    const entry = this.#pods.get(uid);
    this.#pods.delete(uid);
    this.#account.drop(uid);
    if (entry === undefined) return Promise.resolve();
    const { path } = entry;
    const removal = this.#remove(path)
      .then((killed) => {
        if (killed !== undefined && this.#owned.delete(uid)) this.#parts.ownedChanged();
      })
      .then(() => this.#applyQos())
      .then(
        () => undefined,
        (error: unknown) => this.#parts.told.failedRemoval(path, errorText(error)),
      )
      .finally(() => this.#removals.delete(path));
    this.#removals.set(path, removal);
    return removal;
  }

  /** Everything once more: what somebody else changed is written again. @param active pods that hold resources */
  async reconcile(active: readonly Pod[], signal?: AbortSignal): Promise<void> {
    const { files, layout, told, clock } = this.#parts;
    const began = clock.monotonic();
    const before = new Map(this.#lastWanted);
    this.#account.set(active);
    this.#repaired(await this.#applyNode(), undefined, before);
    for (const { pod, path } of this.pods()) {
      if (signal?.aborted) return;
      // It may have gone while another one was written.
      if (this.#pods.get(pod.metadata.uid)?.pod !== pod || this.#removals.has(path)) continue;
      const report = await applyPlan(files, layout, podPlan(pod, this.rules));
      this.#tell(report, path, pod);
      this.#repaired(report, pod);
    }
    told.took("update", (clock.monotonic() - began) / 1000);
  }

  /**
   * Removes pod cgroups that nobody stands for. @param known uids of all pods that the agent knows
   * @param sandboxes uids of pods that have a sandbox; asked only when there is something to decide
   */
  async removeOrphans(known: ReadonlySet<string>, sandboxes: () => Promise<ReadonlySet<string>>): Promise<void> {
    const { files, layout, clock, told } = this.#parts;
    const { roots, driver } = this.rules;
    const folders = (path: string): readonly string[] => allFolders(layout, path);
    const candidates = findPodCgroups(files, roots, driver, folders).filter(
      ({ uid, path }) => !known.has(uid) && !this.#pods.has(uid) && !this.#removals.has(path),
    );
    if (candidates.length === 0) return;
    const withSandbox = await sandboxes();
    for (const { uid, path } of candidates) {
      const all = folders(path);
      const processes = pidsBelow(files, all).length;
      const changed = Math.max(...all.map((folder) => files.changedAt(folder) ?? 0));
      const verdict = orphanVerdict({
        known: this.#pods.has(uid),
        hasSandbox: withSandbox.has(uid),
        own: this.#owned.has(uid),
        processes,
        age: clock.now() - changed,
      });
      if (verdict === "foreign") told.foreign(path, processes);
      if (verdict !== "remove") continue;
      const killed = await this.#remove(path);
      if (killed === undefined) continue;
      if (this.#owned.delete(uid)) this.#parts.ownedChanged();
      told.removedOrphan(path, killed);
    }
    this.#forgetGone(known, withSandbox);
  }

  /** Own uids that have neither a pod nor a sandbox nor a cgroup any more. */
  #forgetGone(known: ReadonlySet<string>, withSandbox: ReadonlySet<string>): void {
    const { files, layout } = this.#parts;
    const { roots, driver } = this.rules;
    const left = new Set(
      findPodCgroups(files, roots, driver, (path) => allFolders(layout, path)).map(({ uid }) => uid),
    );
    for (const uid of this.#owned) {
      if (known.has(uid) || withSandbox.has(uid) || left.has(uid) || this.#pods.has(uid)) continue;
      this.#owned.delete(uid);
      this.#parts.ownedChanged();
    }
  }

  /** How many processes were killed; undefined when something is left, which is told. */
  async #remove(path: string): Promise<number | undefined> {
    const { files, layout, clock, told } = this.#parts;
    const began = clock.monotonic();
    try {
      return await removeCgroup(files, layout, path, clock);
    } catch (error) {
      told.failedRemoval(path, errorText(error));
      return undefined;
    } finally {
      told.took("destroy", (clock.monotonic() - began) / 1000);
    }
  }

  async #applyNode(): Promise<Report> {
    return this.#applyTree(this.nodePlan());
  }

  async #applyQos(): Promise<void> {
    if (this.rules.cgroupsPerQOS) await this.#applyTree(qosPlan(this.rules, this.#account.sums));
  }

  async #applyTree(plan: Plan): Promise<Report> {
    const { files, layout, clock } = this.#parts;
    const report = await applyPlan(files, layout, plan);
    const usageOf = (path: string): number | undefined =>
      readUsage(files, layout, path, clock.now())?.memory.usageBytes;
    const capped = this.rules.qosReservedMemory === undefined ? [] : cappedAtUsage(plan, report.refused, usageOf);
    const again = capped.length === 0 ? report : await applyPlan(files, layout, capped);
    for (const setting of plan) this.#lastWanted.set(keyOf(setting), setting.value);
    for (const path of new Set(plan.map((setting) => setting.path))) this.#tell(again, path, undefined);
    return report;
  }

  /** Each refusal once, until it is another one or gone. */
  #tell({ refused }: Report, path: string, pod: Pod | undefined): void {
    const now = new Map(refused.filter((one) => one.path === path).map((one) => [keyOf(one), one]));
    for (const [key, { path: of }] of this.#refusals) if (of === path && !now.has(key)) this.#refusals.delete(key);
    for (const [key, refusal] of now) {
      const before = this.#refusals.get(key);
      this.#refusals.set(key, refusal);
      if (before?.wanted !== refusal.wanted || before.errno !== refusal.errno) this.#parts.told.refused(refusal, pod);
    }
  }

  /**
   * What somebody else had changed. @param wanted what the agent last wanted of these files, where that changes with the pods: a
   * file that held just that was not changed by others
   */
  #repaired({ made, written }: Report, pod: Pod | undefined, wanted?: ReadonlyMap<string, string>): void {
    for (const path of made) this.#parts.told.repaired(`cgroup ${path} was gone and was made again`, pod);
    for (const setting of written) {
      const { path, file, value, before = "missing" } = setting;
      const last = wanted?.get(keyOf(setting));
      if (made.includes(path) || (wanted && (last === undefined || sameValue(file, last, before)))) continue;
      this.#parts.told.repaired(`${file} of cgroup ${path} was ${before}, set to ${value} again`, pod);
    }
  }
}

function keyOf({ path, file }: { readonly path: string; readonly file: string }): string {
  return `${path}/${file}`;
}

/** Path of the cgroup of all pods. */
export function kubepodsPath({ kubepods, driver }: NodeRules): string {
  return cgroupPath(kubepods, driver);
}
