/** Admission, one pod at a time for the node, in order of asking. */

import type { Pod } from "@hooklet/manifest";
import { deepFreeze } from "@hooklet/utils";
import type { NodeHooks, PodAdmitEvent } from "../hooks/hooks.js";
import { AdmissionVerdict, type Undo } from "../hooks/verdict.js";
import type { DecisionRecorder } from "../plugin/contract.js";
import { podSubject } from "../plugin/subject.js";
import { holders } from "./holders.js";
import { reportedRejection } from "./reasons.js";

export interface AdmissionPorts {
  readonly hooks: Pick<NodeHooks, "podAdmit">;
  readonly decisions: DecisionRecorder;
  report(where: string, error: unknown): void;
}

/** What an earlier life of the agent left of the pod. */
export type Earlier = Pick<PodAdmitEvent, "running" | "isTakenOver">;

export interface Surroundings extends Earlier {
  /** The pods that hold resources of the node, read when it is this pod's turn. */
  readonly active: () => readonly Pod[];
}

export class AdmissionQueue {
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly ports: AdmissionPorts) {}

  /**
   * The final verdict. Whatever was allocated for a rejected pod has been released. A pod that is removed while it waits for its turn
   * gets the empty verdict: nothing was allocated for it.
   */
  admit(pod: Pod, around: Surroundings, signal: AbortSignal): Promise<AdmissionVerdict> {
    let begun = false;
    const decided = this.#last.then(() => {
      begun = true;
      return this.#decide(pod, around, signal);
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

  async #decide(
    pod: Pod,
    { active, running, isTakenOver }: Surroundings,
    signal: AbortSignal,
  ): Promise<AdmissionVerdict> {
    if (signal.aborted) return AdmissionVerdict.admitted();
    const otherPods = Object.freeze(active().filter((other) => other.metadata.uid !== pod.metadata.uid));
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
