/** Admission, one pod at a time for the node, in order of asking. */

import type { Pod } from "@hooklet/manifest";
import type { NodeHooks } from "../hooks/hooks.js";
import type { DecisionRecorder } from "../plugin/contract.js";
import { holders } from "./holders.js";
import { AdmissionVerdict, type Undo } from "./verdict.js";

export interface AdmissionPorts {
  readonly hooks: Pick<NodeHooks, "podAdmit">;
  readonly decisions: DecisionRecorder;
  report(where: string, error: unknown): void;
}

export class AdmissionQueue {
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly ports: AdmissionPorts) {}

  /**
   * The final verdict. What was taken for a pod that is rejected, or gone by now, has been given back. `active`: the pods that
   * hold resources of the node when it is this one's turn.
   */
  admit(pod: Pod, active: () => readonly Pod[], signal: AbortSignal): Promise<AdmissionVerdict> {
    const verdict = this.#last.then(() => this.#decide(pod, active, signal));
    this.#last = verdict.catch(() => undefined);
    return verdict;
  }

  async #decide(pod: Pod, active: () => readonly Pod[], signal: AbortSignal): Promise<AdmissionVerdict> {
    if (signal.aborted) return AdmissionVerdict.admitted();
    const otherPods = active().filter((other) => other.metadata.uid !== pod.metadata.uid);
    const verdict = await this.ports.hooks.podAdmit.promise(AdmissionVerdict.admitted(), { pod, otherPods, signal });
    if (verdict.admitted) return verdict;
    const late = (undo: Undo): void => void this.#undo([undo]);
    await this.#undo(verdict.undos(late));
    this.#record(pod, verdict, otherPods);
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
      subject: `pod/${pod.metadata.namespace}/${pod.metadata.name}`,
      considered: [
        ...verdict.rejections.map(({ plugin, reason, message }) => ({
          candidate: plugin ?? "core",
          verdict: reason,
          why: message,
        })),
        ...holders(verdict.rejections, otherPods),
      ],
      outcome: `rejected: ${verdict.rejections[0]?.reason}`,
    });
  }
}
