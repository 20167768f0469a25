/** Keeps the cgroups of the node and its pods as the rules want them. All I/O goes through the files it is given. */
import { type Clock, errorText, NodeAgentError, type Pod } from "@hooklet/core";
import type { CgroupLayout } from "@hooklet/core/rules";
import { pidsBelow } from "@hooklet/linux";
import { applyPlan } from "../apply/apply.js";
import { cgroupExists, type Refused, removePodCgroup } from "../apply/cgroup.js";
import { allFolders, type CgroupFiles } from "../host/cgroup-files.js";
import type { NodeRules } from "../plan/node-rules.js";
import { podPath, podPlan } from "../plan/pod-plan.js";
import { burstPercent } from "../rules/container.js";
import { QosAccount } from "./account.js";
import { NO_CGROUP, NodeTree } from "./node-tree.js";
import { type FoundPodCgroup, findPodCgroups, sweepOrphans } from "./orphans.js";
import { type Reports, ReportsOnce } from "./reports.js";

export interface ManagerParts {
  readonly files: CgroupFiles;
  readonly layout: CgroupLayout;
  readonly rules: NodeRules;
  readonly clock: Clock;
  readonly reports: Reports;
  /** Called when the set of own pods changed: remember them. */
  readonly ownedChanged: () => void;
}

/** A pod whose cgroup is kept. */
export interface KeptPod {
  readonly pod: Pod;
  readonly path: string;
}

export class CgroupManager {
  readonly #parts: ManagerParts;
  readonly #reports: ReportsOnce;
  readonly #account = new QosAccount();
  /** Above the pods. */
  readonly tree: NodeTree;
  readonly #pods = new Map<string, KeptPod>();
  /** Uids of pods whose cgroups this agent, or one before it, made. */
  readonly #owned = new Set<string>();
  readonly #removals = new Map<string, Promise<void>>();

  constructor(parts: ManagerParts) {
    this.#parts = parts;
    this.#reports = new ReportsOnce(parts.reports);
    this.tree = new NodeTree(parts, this.#account, this.#reports);
  }

  get rules(): NodeRules {
    return this.#parts.rules;
  }

  pods(): readonly KeptPod[] {
    return [...this.#pods.values()];
  }

  /** Existing pod cgroups of this agent, including those of earlier agents. */
  foundPods(): readonly FoundPodCgroup[] {
    const { files, layout } = this.#parts;
    const { roots, driver } = this.rules;
    const folders = (path: string): readonly string[] => allFolders(layout, path);
    return findPodCgroups(files, roots, driver, folders).filter(({ uid }) => this.#owned.has(uid));
  }

  /** Of a pod whose cgroup is kept. */
  pathOf(podUid: string): string | undefined {
    return this.#pods.get(podUid)?.path;
  }

  /** What the kernel refuses at the moment. */
  refusals(): readonly Refused[] {
    return this.#reports.refusals();
  }

  /** Uids to remember over a restart. */
  owned(): readonly string[] {
    return [...this.#owned];
  }

  /** From an earlier life, or from what the runtime shows. */
  adopt(uids: Iterable<string>): void {
    for (const uid of uids) this.#owned.add(uid);
  }

  /** Makes the tree for these pods. @throws NodeAgentError with the kubelet's message when it cannot be made at all */
  async open(pods: readonly Pod[]): Promise<void> {
    this.#account.set(pods);
    await this.tree.make();
  }

  /**
   * A pod cgroup in which processes run, where none of the tree is this agent's own: another agent, or a kubelet, keeps it.
   * Undefined where the tree is free, or partly this agent's already.
   */
  foreign(): string | undefined {
    const { files, layout } = this.#parts;
    const { roots, driver } = this.rules;
    const folders = (path: string): readonly string[] => allFolders(layout, path);
    const found = findPodCgroups(files, roots, driver, folders);
    if (found.some(({ uid }) => this.#owned.has(uid))) return undefined;
    return found.find(({ path }) => pidsBelow(files, folders(path)).length > 0)?.path;
  }

  /**
   * Creates or repairs the pod's cgroup, and updates the QoS cgroups. Files that the kernel refuses are reported and do not
   * stop it, as in the kubelet. @throws NodeAgentError with the kubelet's message when it cannot be made
   */
  async ensurePod(pod: Pod): Promise<string> {
    const { files, layout, clock, reports } = this.#parts;
    const { uid } = pod.metadata;
    const path = podPath(pod, this.rules);
    await this.#removals.get(path);
    const began = clock.monotonic();
    // Of an agent before this one, which may have been killed while it made it.
    const thorough = !this.#pods.has(uid) && cgroupExists(files, layout, path);
    this.#pods.set(uid, { pod, path });
    this.#account.put(pod);
    if (!this.#owned.has(uid)) {
      this.#owned.add(uid);
      this.#parts.ownedChanged();
    }
    await this.tree.applyQos();
    const report = await applyPlan(files, layout, podPlan(pod, this.rules), { thorough });
    const failed = report.refused.find(({ wanted }) => wanted === NO_CGROUP);
    if (failed !== undefined) {
      throw new NodeAgentError("INVALID", `failed to create container for ${path} : ${failed.message}`);
    }
    this.#reports.refused(report, path, pod);
    reports.took("create", seconds(clock, began));
    return path;
  }

  /** The first half of a resize: raises what the pod may use. */
  async growPod(pod: Pod): Promise<void> {
    const { files, layout } = this.#parts;
    this.#account.put(pod);
    await this.tree.applyQos();
    await applyPlan(files, layout, podPlan(pod, this.rules), { growOnly: true });
  }

  /**
   * Once no container of the pod runs any more; also for a pod of an agent before this one. Never rejects: what is left goes
   * with the orphans.
   */
  removePod(pod: Pod): Promise<void> {
    const { uid } = pod.metadata;
    if (!this.#pods.has(uid) && !this.#owned.has(uid)) return Promise.resolve();
    const path = this.#pods.get(uid)?.path ?? podPath(pod, this.rules);
    this.#pods.delete(uid);
    this.#account.drop(uid);
    const removal = this.#removeOwn(uid, path).finally(() => this.#removals.delete(path));
    this.#removals.set(path, removal);
    return removal;
  }

  /** Writes everything again that was changed from outside. @param active pods that hold resources */
  async reconcile(active: readonly Pod[], signal?: AbortSignal): Promise<void> {
    const { files, layout, reports, clock } = this.#parts;
    const began = clock.monotonic();
    this.#account.set(active);
    const plan = this.tree.plan();
    const wanted = this.#reports.want(plan);
    this.#reports.repaired(await this.tree.apply(plan), undefined, wanted);
    const changed = this.#renew(active);
    for (const { pod, path } of this.pods()) {
      if (signal?.aborted) return;
      // It may have gone while another one was written.
      if (this.#pods.get(pod.metadata.uid)?.pod !== pod || this.#removals.has(path)) continue;
      const report = await applyPlan(files, layout, podPlan(pod, this.rules));
      this.#reports.refused(report, path, pod);
      if (!changed.has(pod.metadata.uid)) this.#reports.repaired(report, pod);
    }
    reports.took("update", seconds(clock, began));
  }

  /**
   * Removes orphaned pod cgroups. @param known uids of all pods that the agent knows
   * @param sandboxes uids of pods that have a sandbox; read only when there is something to decide
   */
  async removeOrphans(
    known: ReadonlySet<string>,
    sandboxes: () => Promise<ReadonlySet<string>>,
    signal?: AbortSignal,
  ): Promise<void> {
    const gone = await sweepOrphans({
      ...this.#parts,
      signal,
      isKnown: ({ uid, path }) => known.has(uid) || this.#pods.has(uid) || this.#removals.has(path),
      isOwn: (uid) => this.#owned.has(uid),
      sandboxes,
      remove: (path) => this.#remove(path),
    });
    for (const uid of gone) this.#disown(uid);
  }

  /** Updates the pods. Returns the uids of those whose resources changed: their writes are no repairs. */
  #renew(active: readonly Pod[]): ReadonlySet<string> {
    const changed = new Set<string>();
    for (const pod of active) {
      const { uid } = pod.metadata;
      const kept = this.#pods.get(uid);
      if (kept === undefined) continue;
      if (kept.pod.spec !== pod.spec || burstPercent(kept.pod) !== burstPercent(pod)) changed.add(uid);
      this.#pods.set(uid, { ...kept, pod });
    }
    return changed;
  }

  async #removeOwn(uid: string, path: string): Promise<void> {
    try {
      if ((await this.#remove(path)) !== undefined) this.#disown(uid);
      await this.tree.applyQos();
    } catch (error) {
      this.#parts.reports.failedRemoval(path, errorText(error));
    }
  }

  #disown(uid: string): void {
    if (this.#owned.delete(uid)) this.#parts.ownedChanged();
  }

  /** How many processes were killed; undefined when something is left, which is reported. */
  async #remove(path: string): Promise<number | undefined> {
    const { files, layout, clock, reports } = this.#parts;
    const began = clock.monotonic();
    try {
      const killed = await removePodCgroup(files, layout, path, clock);
      this.#reports.forget(path);
      return killed;
    } catch (error) {
      reports.failedRemoval(path, errorText(error));
      return undefined;
    } finally {
      reports.took("destroy", seconds(clock, began));
    }
  }
}

function seconds(clock: Clock, since: number): number {
  return (clock.monotonic() - since) / 1000;
}
