/** Changes cpu and memory of running pods without a restart: the pod's cgroup first where it grows, last where it shrinks. */
import { errorText, type NodeContext, type Pod } from "@hooklet/core";
import type { KeptState, LinuxContainerResources } from "@hooklet/core/subsystem";
import type { CgroupService } from "../service.js";
import {
  type ContainerResize,
  type ResizeRefusal,
  resizeOf,
  resizeOrder,
  resizeRefusal,
  type WaitingResize,
} from "./resize-rules.js";
import { asApplied, resizesToSave, type SavedResizes, savedResizes } from "./saved.js";

const PENDING = "PodResizePending";
const IN_PROGRESS = "PodResizeInProgress";

export interface ResizerOptions {
  readonly staticCpus: boolean;
}

export class Resizer {
  /** Pods whose new amounts are not applied yet, by uid. */
  readonly #pending = new Map<string, WaitingResize>();
  readonly #busy = new Set<string>();
  /** Being done: the new amounts are the pod's already. */
  readonly #accepted = new Set<string>();
  readonly #kept: KeptState<SavedResizes>;
  /** Of an agent before this one, until their pods are taken over. */
  #saved: SavedResizes = {};

  constructor(
    private readonly ctx: NodeContext,
    private readonly service: CgroupService,
    private readonly options: ResizerOptions,
  ) {
    this.#kept = ctx.checkpoint("resizes").keep<SavedResizes>({
      value: () => this.#toSave(),
      schema: savedResizes,
      failed: (error) => ctx.log.error({ err: error }, `cannot remember which resizes wait: ${errorText(error)}`),
    });
  }

  /** Before any pod is taken over. */
  async open(): Promise<void> {
    this.#saved = (await this.#kept.read()) ?? {};
  }

  close(): Promise<void> {
    return this.#kept.close();
  }

  /** True when the change is a resize: the pod continues, and gets the new resources as soon as the node has them. */
  applies(before: Pod, after: Pod): boolean {
    const { uid } = after.metadata;
    if (this.service.open === undefined) return false;
    const waiting = this.#pending.get(uid);
    const applied = waiting?.before ?? before;
    if (resizeOf(applied, after) === undefined && resizeOf(before, after) === undefined) return false;
    this.#pending.set(uid, { before: applied, after, since: this.ctx.clock.now() });
    this.#kept.changed();
    void this.#resize(uid);
    return true;
  }

  /** Adopts a pod that runs from before the agent's start: a pending resize stays pending. */
  adopt(pod: Pod): void {
    const { uid } = pod.metadata;
    const saved = this.#saved[uid];
    if (saved === undefined || this.service.open === undefined || this.#pending.has(uid)) return;
    const before = asApplied(pod, saved);
    const changes = resizeOf(before, pod);
    if (changes === undefined) return;
    const { since, refusal } = saved;
    this.#pending.set(uid, { before, after: pod, since, refusal });
    if (refusal === undefined) return;
    this.ctx.pods.setCondition(uid, PENDING, { status: "True", ...refusal });
    this.#showApplied(uid, changes);
  }

  /** The pod with the amounts that it has, not with those that it waits for. */
  applied(pod: Pod): Pod {
    const { uid } = pod.metadata;
    return this.#accepted.has(uid) ? pod : (this.#pending.get(uid)?.before ?? pod);
  }

  /** Every few seconds: what had to wait, or failed. Who holds what is known once all sources have spoken. */
  async retry(): Promise<void> {
    if (!this.ctx.pods.sourcesReady()) return;
    for (const { after } of resizeOrder([...this.#pending.values()])) await this.#resize(after.metadata.uid);
  }

  forget(uid: string): void {
    if (this.#pending.delete(uid)) this.#kept.changed();
  }

  async #resize(uid: string): Promise<void> {
    const pending = this.#pending.get(uid);
    if (pending === undefined || this.#busy.has(uid)) return;
    this.#busy.add(uid);
    try {
      const { pods } = this.ctx;
      const changes = resizeOf(pending.before, pending.after) ?? [];
      const refusal = this.#refusal(pending.after);
      pods.setCondition(uid, PENDING, refusal && { status: "True", ...refusal });
      if (refusal !== undefined) return this.#waits(uid, pending, refusal, changes);
      this.#accepted.add(uid);
      // Until the kernel has the new amounts, and should it refuse them.
      this.#showApplied(uid, changes);
      pods.setCondition(uid, IN_PROGRESS, { status: "True" });
      await this.#apply(pending, changes);
      pods.setCondition(uid, IN_PROGRESS, undefined);
      // A newer one may have come meanwhile: it begins where this one ended.
      const now = this.#pending.get(uid);
      if (now === pending) this.#pending.delete(uid);
      else if (now !== undefined) this.#pending.set(uid, { ...now, before: pending.after });
      this.#kept.changed();
    } catch (error) {
      const message = errorText(error);
      this.ctx.pods.setCondition(uid, IN_PROGRESS, { status: "True", reason: "Error", message });
      this.ctx.log.warn(`resize of pod ${uid}: ${message}; tried again`);
    } finally {
      this.#busy.delete(uid);
      this.#accepted.delete(uid);
    }
  }

  #waits(uid: string, pending: WaitingResize, refusal: ResizeRefusal, changes: readonly ContainerResize[]): void {
    this.#showApplied(uid, changes);
    const { reason, message } = pending.refusal ?? {};
    if (reason === refusal.reason && message === refusal.message) return;
    this.#pending.set(uid, { ...pending, refusal });
    this.#kept.changed();
  }

  #refusal(pod: Pod): ResizeRefusal | undefined {
    const { node, pods } = this.ctx;
    const { uid } = pod.metadata;
    const others = [...pods.active(), ...pods.awaited()].filter(({ metadata }) => metadata.uid !== uid);
    return resizeRefusal(pod, {
      node: node.facts(),
      others: others.map((other) => this.applied(other)),
      staticCpus: this.options.staticCpus,
    });
  }

  async #apply({ after }: WaitingResize, changes: readonly ContainerResize[]): Promise<void> {
    const { ctx, service } = this;
    const manager = service.open?.manager;
    if (manager === undefined) throw new Error(service.why);
    const { uid } = after.metadata;
    await manager.growPod(after);
    for (const { after: container, restart } of changes) {
      const ref = { podUid: uid, container: container.name };
      const running = ctx.pods.running(ref);
      if (running === undefined) continue;
      if (restart) {
        const message = `Container ${container.name} resize requires restart`;
        ctx.pods.restartContainer(ref, { message, containerId: running.containerId });
        continue;
      }
      const { containerId } = running;
      await service.open?.reconciler.lowerBurst(after, container.name, containerId);
      await ctx.runtime.updateContainerResources(containerId, updateOf(service.resourcesOf(after, container)));
      await service.open?.reconciler.started(after, container.name, containerId);
      ctx.pods.setAppliedResources(ref, undefined);
    }
    await manager.ensurePod(after);
    for (const { after: container } of changes) {
      ctx.pods.setAppliedResources({ podUid: uid, container: container.name }, undefined);
    }
  }

  #showApplied(uid: string, changes: readonly ContainerResize[]): void {
    for (const { before } of changes) {
      const { requests = {}, limits = {} } = before.resources ?? {};
      this.ctx.pods.setAppliedResources({ podUid: uid, container: before.name }, { requests, limits });
    }
  }

  /** Those of pods that are not taken over yet are kept. */
  #toSave(): SavedResizes {
    const known = new Set(this.ctx.pods.list().map(({ metadata }) => metadata.uid));
    const earlier = Object.entries(this.#saved).filter(([uid]) => !known.has(uid) && !this.ctx.pods.sourcesReady());
    return { ...Object.fromEntries(earlier), ...resizesToSave(this.#pending) };
  }
}

/** A removed limit must be sent explicitly: an absent one stays as it is. The oom score of a process stays. */
function updateOf(resources: LinuxContainerResources): LinuxContainerResources {
  const { cpuShares, cpuPeriod, cpuQuota, memoryLimitInBytes, memorySwapLimitInBytes, unified } = resources;
  return {
    ...(cpuShares !== undefined && { cpuShares }),
    ...(cpuPeriod !== undefined && cpuPeriod > 0 && { cpuPeriod, cpuQuota: cpuQuota || -1 }),
    ...(memoryLimitInBytes !== undefined && memoryLimitInBytes > 0 && { memoryLimitInBytes }),
    // Of v1, where it is the limit of memory and swap together: memory alone could not grow.
    ...(memorySwapLimitInBytes !== undefined && memorySwapLimitInBytes > 0 && { memorySwapLimitInBytes }),
    ...(unified && { unified }),
  };
}
