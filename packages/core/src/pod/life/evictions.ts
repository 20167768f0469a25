/**
 * The one arbiter of evictions: all plugins ask here. A pod is evicted once, the kubelet's rules protect it, and each request leaves a
 * decision that names the plugin, the pod that takes the place, and the reason.
 */

import { isCriticalPod, isPreemptable, namespacedName, type Pod } from "@hooklet/manifest";
import { type Clock, evictionRefused, killTimeout, notFound, withDeadline } from "@hooklet/utils";
import type { DecisionRecorder, EventRecorder, Eviction } from "../../plugin/contract.js";
import { podSubject } from "../../plugin/subject.js";
import { grace, killTimeoutSeconds } from "../grace.js";
import type { PodWorker } from "./worker.js";

export interface EvictionPorts {
  readonly clock: Clock;
  readonly events: EventRecorder;
  worker(uid: string): PodWorker | undefined;
  /** Pods that run from before and are not taken over yet. */
  awaited(): readonly Pod[];
  /** Resolves as soon as the predicate holds; the signal ends the wait. */
  until(predicate: () => boolean, signal: AbortSignal): Promise<void>;
  decisions(plugin: string): DecisionRecorder;
}

export class Evictions {
  readonly #underWay = new Map<string, Promise<void>>();

  constructor(private readonly ports: EvictionPorts) {}

  /**
   * Evicts a pod as the kubelet's killPodNow does: Warning event, then a blocking kill with a limit. An `unconditional` one passes
   * protection and event. For a pod that is being evicted or stopped already it waits for the end of that.
   * @throws NodeAgentError NOT_FOUND for an unknown uid; EVICTION_REFUSED for a protected pod; KILL_TIMEOUT when it was not
   * gone in time
   */
  evict(uid: string, eviction: Eviction, by: string): Promise<void> {
    const worker = this.ports.worker(uid);
    if (worker === undefined) return Promise.reject(this.#unknown(uid));
    const first = this.#underWay.get(uid);
    if (first !== undefined) {
      this.#record(worker.pod, eviction, by, "is being evicted already");
      if (!isLive(worker)) this.#hurry(worker, eviction, by);
      return first;
    }
    const work = this.#evict(worker, eviction, by).finally(() => this.#underWay.delete(uid));
    this.#underWay.set(uid, work);
    return work;
  }

  async #evict(worker: PodWorker, eviction: Eviction, by: string): Promise<void> {
    const { pod } = worker;
    const { unconditional = false } = eviction;
    const why = isLive(worker) && !unconditional ? protection(pod, eviction.preemptor) : undefined;
    if (why !== undefined) {
      this.#record(pod, eviction, by, `not evicted: ${why}`);
      throw evictionRefused(namespacedName(pod.metadata), why);
    }
    if (!isLive(worker)) {
      this.#record(pod, eviction, by, isOver(worker) ? "has ended already" : "is being stopped already");
      this.#hurry(worker, eviction, by);
      return this.#ended(worker);
    }
    const { reason, message, annotations } = eviction;
    this.#record(pod, eviction, by, `evicted${forWhom(eviction)}: ${reason}: ${message}`);
    if (!unconditional) this.ports.events.pod(pod, "Warning", reason, message, undefined, annotations);
    this.#terminate(worker, eviction, by);
    return this.#ended(worker);
  }

  /** The cause of a stop stays; a shorter grace period holds. */
  #hurry(worker: PodWorker, eviction: Eviction, by: string): void {
    if (!isOver(worker) && eviction.gracePeriodSeconds !== undefined) this.#terminate(worker, eviction, by);
  }

  #terminate(worker: PodWorker, eviction: Eviction, by: string): void {
    const { reason, message, condition, gracePeriodSeconds, lasting = true } = eviction;
    worker.dispatch({
      type: "terminate",
      cause: {
        kind: "evicted",
        by,
        reason,
        message,
        ...(condition === undefined ? {} : { condition: { ...condition } }),
        ...(!lasting && { lasting }),
      },
      at: this.ports.clock.now(),
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    });
  }

  #unknown(uid: string): Error {
    const awaited = this.ports.awaited().find(({ metadata }) => metadata.uid === uid);
    if (awaited === undefined) return notFound("pod with uid", uid, []);
    const pod = namespacedName(awaited.metadata);
    return evictionRefused(pod, "it runs from before the agent's start, and its source has not spoken yet");
  }

  async #ended(worker: PodWorker): Promise<void> {
    const { clock, events } = this.ports;
    const limit = killTimeoutSeconds(grace(worker.state));
    const given = new AbortController();
    const ended = this.ports.until(() => isOver(worker), given.signal);
    await withDeadline(clock, limit * 1000, ended, () => {
      const text = "Container runtime did not kill the pod within specified grace period.";
      events.pod(worker.pod, "Warning", "ExceededGracePeriod", text);
      const late = killTimeout();
      given.abort(late);
      return late;
    });
  }

  #record(pod: Pod, { decision }: Eviction, by: string, outcome: string): void {
    const { strategy = "evict", considered = [] } = decision ?? {};
    this.ports.decisions(by).record({ strategy, subject: podSubject(pod), considered, outcome });
  }
}

/** Why the pod may not be evicted, undefined when it may: the kubelet's rules for preemption and for node pressure. */
function protection(pod: Pod, preemptor: Pod | undefined): string | undefined {
  if (preemptor === undefined)
    return isCriticalPod(pod) ? "it is critical (static, or of a system priority)" : undefined;
  return isPreemptable(preemptor, pod) ? undefined : `pod ${namespacedName(preemptor.metadata)} may not preempt it`;
}

function forWhom({ preemptor }: Eviction): string {
  return preemptor === undefined ? "" : ` for pod ${namespacedName(preemptor.metadata)}`;
}

function isLive({ state: { life } }: PodWorker): boolean {
  return life.kind === "pending" || life.kind === "active";
}

function isOver(worker: PodWorker): boolean {
  return !isLive(worker) && worker.state.life.kind !== "terminating";
}
