/** Admission, one pod at a time for the node, in order of asking. */

import { type Pod, podRequests, type Resources } from "@hooklet/manifest";
import { deepFreeze } from "@hooklet/utils";
import type { NodeHooks, PodAdmitEvent } from "../hooks/hooks.js";
import { AdmissionVerdict, type Rejection, type ResourceShortfall, type Undo } from "../hooks/verdict.js";
import type { Decision, DecisionRecorder } from "../plugin/contract.js";
import { podSubject } from "../plugin/subject.js";
import { reportedRejection } from "./reasons.js";

interface AdmissionPorts {
  readonly hooks: Pick<NodeHooks, "podAdmit">;
  readonly decisions: DecisionRecorder;
  /** The pods that hold resources of the node, besides this one; read when it is its turn. */
  others(uid: string): readonly Pod[];
  report(where: string, error: unknown): void;
}

/** What an earlier life of the agent left of the pod. */
export type Earlier = Pick<PodAdmitEvent, "running" | "isTakenOver">;

export class AdmissionQueue {
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly ports: AdmissionPorts) {}

  /**
   * The final verdict. Whatever was allocated for a rejected pod has been released. A pod that is removed while it waits for its turn
   * gets the empty verdict: nothing was allocated for it.
   */
  admit(pod: Pod, earlier: Earlier, signal: AbortSignal): Promise<AdmissionVerdict> {
    let begun = false;
    const decided = this.#last.then(() => {
      begun = true;
      return this.#decide(pod, earlier, signal);
    });
    const verdict = new Promise<AdmissionVerdict>((resolve, reject) => {
      const leave = (): void => {
        if (!begun) resolve(AdmissionVerdict.admitted());
      };
      signal.addEventListener("abort", leave, { once: true });
      decided.then(resolve, reject).finally(() => signal.removeEventListener("abort", leave));
    });
    // The next admission counts this pod, so the caller must get this verdict first.
    this.#last = Promise.allSettled([decided, verdict]);
    return verdict;
  }

  async #decide(pod: Pod, { running, isTakenOver }: Earlier, signal: AbortSignal): Promise<AdmissionVerdict> {
    if (signal.aborted) return AdmissionVerdict.admitted();
    const otherPods = Object.freeze(this.ports.others(pod.metadata.uid));
    const event = Object.freeze({ pod, otherPods, running: deepFreeze([...running]), isTakenOver, signal });
    const verdict = await this.ports.hooks.podAdmit.promise(AdmissionVerdict.admitted(), event);
    if (verdict.admitted && verdict.postponement === undefined) return verdict;
    const late = (undo: Undo): void => void this.#undo([undo]);
    await this.#undo(verdict.undos(late));
    if (verdict.postponement === undefined) this.#record(pod, verdict, otherPods);
    return verdict;
  }

  async #undo(undos: readonly Undo[]): Promise<void> {
    for (const undo of undos) {
      try {
        await undo();
      } catch (error) {
        this.ports.report("undo of podAdmit", error);
      }
    }
  }

  #record(pod: Pod, verdict: AdmissionVerdict, otherPods: readonly Pod[]): void {
    this.ports.decisions.record({
      strategy: "podAdmit",
      subject: podSubject(pod),
      considered: [
        ...verdict.rejections.map(({ plugin, reason, message }) => ({
          candidate: plugin ?? "core",
          verdict: reason,
          why: message,
        })),
        ...holders(verdict.rejections, otherPods),
      ],
      outcome: `rejected: ${reportedRejection(verdict.rejections).reason}`,
    });
  }
}

// Who has what a rejected pod is missing: for `hooklet explain`.

/** Holders named per resource; a decision stays small also on a node of a thousand pods. */
const NAMED = 10;

/** Rows for each resource that is short: the pods that hold most of it, the greatest first. */
export function holders(rejections: readonly Rejection[], otherPods: readonly Pod[]): Decision["considered"] {
  return rejections.flatMap(({ shortfall }) => (shortfall === undefined ? [] : holdersOf(shortfall, otherPods)));
}

/** The resource `pods` has no holders: each pod takes exactly one. */
function holdersOf({ resource, capacity }: ResourceShortfall, otherPods: readonly Pod[]): Decision["considered"] {
  const amounts = otherPods
    .map((pod) => ({ pod, amount: amountOf(podRequests(pod), resource) }))
    .filter(({ amount }) => amount > 0)
    .sort((a, b) => b.amount - a.amount || compareText(podSubject(a.pod), podSubject(b.pod)));
  const rows = amounts.slice(0, NAMED).map(({ pod, amount }) => ({
    candidate: podSubject(pod),
    verdict: "uses",
    why: `${resource}: ${amount} of ${capacity}`,
  }));
  const others = amounts.slice(NAMED);
  if (others.length === 0) return rows;
  const rest = others.reduce((sum, { amount }) => sum + amount, 0);
  return [
    ...rows,
    { candidate: `${others.length} more pods`, verdict: "use", why: `${resource}: ${rest} of ${capacity}` },
  ];
}

function amountOf(requests: Resources, resource: string): number {
  return requests[resource] ?? 0;
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
