/** Which workers there are: by pod, container and kind (the kubelet's prober_manager.go). */
import type { Pod } from "@hooklet/core";
import type { ProbeKind } from "./types.js";
import { type WantedWorker, wantedWorkers } from "./worker/spec.js";

export interface Workers<Worker> {
  make(pod: Pod, wanted: WantedWorker): Worker;
  /** The worker is taken out. */
  gone(worker: Worker): void;
}

const keyOf = (container: string, kind: ProbeKind): string => `${container}/${kind}`;

export class ProbedPods<Worker> {
  readonly #pods = new Map<string, Map<string, Worker>>();

  constructor(private readonly workers: Workers<Worker>) {}

  /** Makes the workers that are missing and takes out those of containers that the pod has no more. May be repeated. */
  add(pod: Pod): void {
    const wanted = wantedWorkers(pod);
    const { uid } = pod.metadata;
    const own = this.#pods.get(uid) ?? new Map<string, Worker>();
    const keys = new Set(wanted.map(({ container, spec }) => keyOf(container.name, spec.kind)));
    for (const key of own.keys()) if (!keys.has(key)) this.#take(own, key);
    for (const one of wanted) {
      const key = keyOf(one.container.name, one.spec.kind);
      if (!own.has(key)) own.set(key, this.workers.make(pod, one));
    }
    if (own.size > 0) this.#pods.set(uid, own);
    else this.#pods.delete(uid);
  }

  get(uid: string, container: string, kind: ProbeKind): Worker | undefined {
    return this.#pods.get(uid)?.get(keyOf(container, kind));
  }

  /** One worker ends; its pod keeps the others. */
  end(uid: string, container: string, kind: ProbeKind): void {
    const own = this.#pods.get(uid);
    if (own !== undefined) this.#take(own, keyOf(container, kind));
    if (own?.size === 0) this.#pods.delete(uid);
  }

  /** Harmless for a pod that is not here. */
  remove(uid: string): void {
    const own = this.#pods.get(uid);
    if (own === undefined) return;
    for (const key of [...own.keys()]) this.#take(own, key);
    this.#pods.delete(uid);
  }

  *all(): Iterable<Worker> {
    for (const own of this.#pods.values()) yield* own.values();
  }

  #take(own: Map<string, Worker>, key: string): void {
    const worker = own.get(key);
    own.delete(key);
    if (worker !== undefined) this.workers.gone(worker);
  }
}

/** The pod is being stopped: liveness and startup probes of its main containers must not see its end; readiness probes continue. */
export function stopLivenessAndStartup(workers: Pick<ProbedPods<unknown>, "end">, pod: Pod): void {
  for (const { name } of pod.spec.containers) {
    for (const kind of ["liveness", "startup"] as const) workers.end(pod.metadata.uid, name, kind);
  }
}
