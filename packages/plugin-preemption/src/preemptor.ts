/** Frees resources for one pod: from its rejections to the rejections that remain. */

import {
  type AdmissionVerdict,
  type Checkpoint,
  type Eviction,
  errorText,
  isNodeAgentError,
  type NodeContext,
  type Pod,
  type PodAdmitEvent,
  podSubject,
  type Rejection,
} from "@hooklet/core";
import { accountOf, admitPod, recoveryFailed } from "@hooklet/core/rules";
import { type KeptState, unlessAborted } from "@hooklet/core/subsystem";
import { type Candidate, inOrder } from "./candidate.js";
import { type Requirement, repairOf, requirementsText } from "./requirements.js";
import { choose, type Selection } from "./select.js";
import { verdicts } from "./verdicts.js";
import type { VictimsStrategy } from "./victims.js";

/** Event, status and condition of a victim, with the kubelet's texts. The grace period is the pod's own. */
export const preempting: Eviction = {
  reason: "Preempting",
  message: "Preempted in order to admit critical pod",
  condition: {
    type: "DisruptionTarget",
    reason: "TerminationByKubelet",
    message: "Pod was preempted by Kubelet to accommodate a critical pod.",
  },
};

export function searchFailed(why: string): string {
  return `preemption: error finding a set of pods to preempt: ${why}`;
}

interface PreemptorParts {
  readonly ctx: NodeContext;
  readonly strategy: VictimsStrategy;
  readonly strategyName: string;
  readonly verify: boolean;
  readonly pending: PendingPreemptions;
  /** One victim was killed; `signal` is the resource that was short first. */
  readonly counted: (signal: string) => void;
}

/** Who would go for a pod, with what there is to say about it. */
export interface Proposal {
  readonly requirements: readonly Requirement[];
  readonly selection: Selection;
  readonly considered: ReturnType<typeof verdicts>;
}

export class Preemptor {
  constructor(private readonly parts: PreemptorParts) {}

  /** The tap: clears shortfalls of a critical pod by evicting others. */
  async repair(
    verdict: AdmissionVerdict,
    { pod, otherPods, signal }: PodAdmitEvent,
  ): Promise<AdmissionVerdict | undefined> {
    if (verdict.admitted) return undefined;
    const repair = repairOf(pod, verdict.rejections);
    if (repair.requirements === undefined) return verdict.withRejections(repair.rejections);

    const { ctx, pending, verify, strategyName } = this.parts;
    const proposal = this.propose(pod, repair.requirements, otherPods);
    const { victims, failure, isFault } = proposal.selection;
    if (failure !== undefined) {
      if (isFault) ctx.log.error({ strategy: strategyName }, `preemption: ${failure}`);
      this.#record(pod, proposal, `no pod is evicted: ${failure}`);
      await pending.end(pod.metadata.uid);
      return verdict.withRejections([recoveryFailed(searchFailed(failure))]);
    }
    const { uid } = pod.metadata;
    await pending.begin(
      uid,
      victims.map((victim) => victim.uid),
    );
    this.#record(pod, proposal, `evicts ${namesOf(victims)} to free ${requirementsText(proposal.requirements)}`);
    await this.#evict(pod, proposal, signal);
    // The pod was removed, or the agent stops: the next agent continues with the same victims.
    if (signal.aborted) return verdict.withRejections([]);
    await pending.end(uid);
    return verdict.withRejections(verify ? this.#again(pod, proposal) : []);
  }

  /** Decides and changes nothing. */
  propose(pod: Pod, requirements: readonly Requirement[], otherPods: readonly Pod[]): Proposal {
    const { ctx, strategy, strategyName, pending } = this.parts;
    // They cannot be evicted; they only count.
    const awaited = new Set(ctx.pods.awaited().map(({ metadata }) => metadata.uid));
    const pods = inOrder(otherPods.filter(({ metadata }) => !awaited.has(metadata.uid)));
    const input = { preemptor: pod, pods, requirements, strategy, strategyName, now: ctx.clock.now() };
    const selection = choose(input, pending.victimsOf(pod.metadata.uid));
    return { requirements, selection, considered: verdicts(selection, pods, requirements) };
  }

  /** One after the other, as the kubelet does; a kill that fails is no reason to stop. */
  async #evict(pod: Pod, { requirements, selection, considered }: Proposal, signal: AbortSignal): Promise<void> {
    const { ctx, strategyName: strategy, counted } = this.parts;
    for (const { uid, name } of selection.victims) {
      if (signal.aborted) return;
      const eviction = { ...preempting, preemptor: pod, signal, decision: { strategy, considered } };
      try {
        await unlessAborted(signal, ctx.pods.evict(uid, eviction));
        counted(requirements[0]?.resource ?? "");
      } catch (error) {
        if (signal.aborted) return;
        if (isGone(error)) ctx.log.info({ pod: name }, `preemption: pod ${name} is gone already`);
        else ctx.log.error({ err: error, pod: name }, `preemption: failed to evict pod ${name}: ${errorText(error)}`);
      }
    }
  }

  /** Repeats the admission against the current pods. */
  #again(pod: Pod, proposal: Proposal): readonly Rejection[] {
    const { ctx } = this.parts;
    const otherPods = [...ctx.pods.active(), ...ctx.pods.awaited()].filter(
      ({ metadata }) => metadata.uid !== pod.metadata.uid,
    );
    const left = admitPod(pod, ctx.node.facts(), accountOf(otherPods));
    const [first] = left;
    if (first !== undefined) this.#record(pod, proposal, `still does not fit after the evictions: ${first.message}`);
    return left;
  }

  #record(pod: Pod, { considered }: Proposal, outcome: string): void {
    const { ctx, strategyName: strategy } = this.parts;
    ctx.decisions.record({ strategy, subject: podSubject(pod), considered, outcome });
  }
}

/** Deleted while the victims before it died. */
function isGone(error: unknown): boolean {
  return isNodeAgentError(error, "NOT_FOUND");
}

export function namesOf(victims: readonly Candidate[]): string {
  return victims.length === 0 ? "no pod" : victims.map(({ name }) => name).join(", ");
}

// Preemptions that have begun, on disk before the first kill: an agent that restarts halfway continues with the same victims and chooses no others.

/** Far more than can be under way: admission is one pod at a time. */
const KEPT = 100;

export class PendingPreemptions {
  /** Uid of the pod that shall be admitted -> uids of its victims. */
  readonly #victims = new Map<string, readonly string[]>();

  readonly #kept: KeptState<Readonly<Record<string, readonly string[]>>>;

  /** @param failed called with the error of a failed write */
  constructor(checkpoint: Pick<Checkpoint, "keep">, failed: (error: unknown) => void) {
    this.#kept = checkpoint.keep<Readonly<Record<string, readonly string[]>>>({
      value: () => Object.fromEntries(this.#victims),
      schema: (z) => z.record(z.string(), z.array(z.string())),
      failed,
    });
  }

  /** Reads what an earlier life left. Pods may come late: what is for none falls out when others begin. */
  async load(): Promise<void> {
    for (const [uid, victims] of Object.entries((await this.#kept.read()) ?? {})) this.#victims.set(uid, victims);
  }

  victimsOf(uid: string): readonly string[] | undefined {
    return this.#victims.get(uid);
  }

  /** Resolves once it is on disk, or could not be written. */
  async begin(uid: string, victims: readonly string[]): Promise<void> {
    this.#victims.delete(uid);
    this.#victims.set(uid, victims);
    for (const oldest of this.#victims.keys()) if (this.#victims.size > KEPT) this.#victims.delete(oldest);
    await this.#kept.saved();
  }

  async end(uid: string): Promise<void> {
    if (this.#victims.delete(uid)) await this.#kept.saved();
  }
}
