/** Changes cpu and memory of running pods without a restart: the pod's cgroup first where it grows, last where it shrinks. */
import { errorText, type LinuxContainerResources, type NodeContext, type Pod } from "@hooklet/core";
import { accountOf, admitPod } from "@hooklet/core/rules";
import type { CgroupService } from "../service.js";
import { type ContainerResize, resizeOf } from "./change.js";

interface Pending {
  /** As it was last applied. */
  readonly before: Pod;
  readonly after: Pod;
}

const PENDING = "PodResizePending";
const IN_PROGRESS = "PodResizeInProgress";

export class Resizer {
  /** Pods whose new amounts are not applied yet, by uid. */
  readonly #pending = new Map<string, Pending>();
  readonly #busy = new Set<string>();

  constructor(
    private readonly ctx: NodeContext,
    private readonly service: CgroupService,
  ) {}

  /** True when the change is a resize: the pod goes on, and gets what it asks for as soon as the node has it. */
  applies(before: Pod, after: Pod): boolean {
    const { uid } = after.metadata;
    if (this.service.open === undefined) return false;
    const applied = this.#pending.get(uid)?.before ?? before;
    if (resizeOf(applied, after) === undefined && resizeOf(before, after) === undefined) return false;
    this.#pending.set(uid, { before: applied, after });
    void this.#resize(uid);
    return true;
  }

  /** Every few seconds: what had to wait, or failed. */
  async retry(): Promise<void> {
    for (const uid of [...this.#pending.keys()]) await this.#resize(uid);
  }

  forget(uid: string): void {
    this.#pending.delete(uid);
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
      if (refusal !== undefined) return this.#showApplied(uid, changes);
      pods.setCondition(uid, IN_PROGRESS, { status: "True" });
      await this.#apply(pending, changes);
      pods.setCondition(uid, IN_PROGRESS, undefined);
      // A newer one may have come meanwhile: it begins where this one ended.
      const now = this.#pending.get(uid);
      if (now === pending) this.#pending.delete(uid);
      else if (now !== undefined) this.#pending.set(uid, { before: pending.after, after: now.after });
    } catch (error) {
      const message = errorText(error);
      this.ctx.pods.setCondition(uid, IN_PROGRESS, { status: "True", reason: "Error", message });
      this.ctx.log.warn(`resize of pod ${uid}: ${message}; tried again`);
    } finally {
      this.#busy.delete(uid);
    }
  }

  /** Infeasible: the node could never; Deferred: it cannot now. */
  #refusal(pod: Pod): { readonly reason: "Infeasible" | "Deferred"; readonly message: string } | undefined {
    const { node, pods } = this.ctx;
    const { uid } = pod.metadata;
    const facts = node.facts();
    const others = pods.active().filter(({ metadata }) => metadata.uid !== uid);
    const never = admitPod(pod, facts, accountOf([])).find(({ shortfall }) => shortfall !== undefined);
    if (never !== undefined) return { reason: "Infeasible", message: never.message };
    const now = admitPod(pod, facts, accountOf(others)).find(({ shortfall }) => shortfall !== undefined);
    return now && { reason: "Deferred", message: now.message };
  }

  async #apply({ after }: Pending, changes: readonly ContainerResize[]): Promise<void> {
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
      } else
        await ctx.runtime.updateContainerResources(
          running.containerId,
          updateOf(service.resourcesOf(after, container)),
        );
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
}

/** A limit that is taken away must be said: absent leaves it as it is. The oom score of a process stays. */
function updateOf(resources: LinuxContainerResources): LinuxContainerResources {
  const { cpuShares, cpuPeriod, cpuQuota, memoryLimitInBytes, unified } = resources;
  return {
    ...(cpuShares !== undefined && { cpuShares }),
    ...(cpuPeriod !== undefined && cpuPeriod > 0 && { cpuPeriod, cpuQuota: cpuQuota || -1 }),
    ...(memoryLimitInBytes !== undefined && memoryLimitInBytes > 0 && { memoryLimitInBytes }),
    ...(unified && { unified }),
  };
}
