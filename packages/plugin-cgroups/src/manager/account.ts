/** What the pods of each QoS class ask for together, kept up to date pod by pod. */
import type { Pod } from "@hooklet/core";
import { podRequests, qosClass } from "@hooklet/core/rules";
import type { QosSums } from "../rules/qos.js";

interface Share {
  readonly spec: Pod["spec"];
  readonly milliCpu: number;
  readonly memory: number;
  readonly burstable: boolean;
}

export class QosAccount {
  readonly #shares = new Map<string, Share>();
  #burstableMilliCpu = 0;
  #burstableMemory = 0;
  #guaranteedMemory = 0;

  /** Adds a pod, or updates it when its spec changed. */
  put(pod: Pod): void {
    const { uid } = pod.metadata;
    if (this.#shares.get(uid)?.spec === pod.spec) return;
    this.drop(uid);
    const quality = qosClass(pod);
    if (quality === "BestEffort") return;
    const { cpu = 0, memory = 0 } = podRequests(pod);
    const share = { spec: pod.spec, milliCpu: cpu, memory, burstable: quality === "Burstable" };
    this.#shares.set(uid, share);
    this.#add(share, 1);
  }

  drop(uid: string): void {
    const share = this.#shares.get(uid);
    if (share === undefined) return;
    this.#shares.delete(uid);
    this.#add(share, -1);
  }

  /** Exactly these pods. */
  set(pods: readonly Pod[]): void {
    const uids = new Set(pods.map(({ metadata }) => metadata.uid));
    for (const uid of [...this.#shares.keys()]) if (!uids.has(uid)) this.drop(uid);
    for (const pod of pods) this.put(pod);
  }

  get sums(): QosSums {
    return {
      burstableMilliCpu: this.#burstableMilliCpu,
      burstableMemory: this.#burstableMemory,
      guaranteedMemory: this.#guaranteedMemory,
    };
  }

  #add({ milliCpu, memory, burstable }: Share, sign: 1 | -1): void {
    if (burstable) {
      this.#burstableMilliCpu += sign * milliCpu;
      this.#burstableMemory += sign * memory;
    } else this.#guaranteedMemory += sign * memory;
  }
}
