/** What the admitted pods hold of the node, as a running sum. */
import type { Resources } from "../plugin/contract.js";
import type { Pod } from "../pod/types.js";
import { podRequests } from "../resources/pod-requests.js";
import { hostPorts, UsedPorts } from "./host-ports.js";

/** Sums of requests (as `podRequests` counts), number of pods, host ports. */
export interface NodeAccount {
  readonly pods: number;
  used(resource: string): number;
  readonly ports: Pick<UsedPorts, "conflict">;
}

/** The account of `pods`, added up from nothing. */
export function accountOf(pods: readonly Pod[]): NodeAccount {
  return new RunningAccount().update(pods);
}

/**
 * Keeps the account from one admission to the next: only pods behind the first difference to the last list are taken
 * off and added, so a list that grew by one costs one pod.
 */
export class RunningAccount implements NodeAccount {
  readonly ports = new UsedPorts();
  readonly #counted: Pod[] = [];
  readonly #sums = new Map<string, number>();

  get pods(): number {
    return this.#counted.length;
  }

  used(resource: string): number {
    return this.#sums.get(resource) ?? 0;
  }

  /** Makes this the account of exactly `pods`. */
  update(pods: readonly Pod[]): this {
    let same = 0;
    while (same < this.#counted.length && this.#counted[same] === pods[same]) same++;
    for (const pod of this.#counted.splice(same)) this.#book(pod, -1);
    for (const pod of pods.slice(same)) {
      this.#book(pod, 1);
      this.#counted.push(pod);
    }
    return this;
  }

  #book(pod: Pod, sign: 1 | -1): void {
    const requests: Resources = podRequests(pod);
    for (const resource in requests) {
      this.#sums.set(resource, this.used(resource) + sign * (requests[resource] ?? 0));
    }
    const ports = hostPorts(pod);
    if (ports.length === 0) return;
    if (sign > 0) this.ports.add(ports);
    else this.ports.remove(ports);
  }
}
