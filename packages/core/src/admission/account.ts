/** What the admitted pods hold of the node, as a running sum. Pure. */

import { type Pod, podRequests, type Resources } from "@hooklet/manifest";
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
 * Keeps the account from one admission to the next. What the new list shares with the last one at its head and its end
 * stays booked, so a list that grew or lost one pod costs one pod. A pod is identified by its spec; its status does not
 * count.
 */
export class RunningAccount implements NodeAccount {
  readonly ports = new UsedPorts();
  #counted: readonly Pod[] = [];
  readonly #sums = new Map<string, number>();

  get pods(): number {
    return this.#counted.length;
  }

  used(resource: string): number {
    return this.#sums.get(resource) ?? 0;
  }

  /** Makes this the account of exactly `pods`. @throws Error when a quantity is malformed; the account is as before */
  update(pods: readonly Pod[]): this {
    const before = this.#counted;
    const shorter = Math.min(before.length, pods.length);
    let head = 0;
    while (head < shorter && before[head]?.spec === pods[head]?.spec) head++;
    let end = 0;
    while (end < shorter - head && before.at(-1 - end)?.spec === pods.at(-1 - end)?.spec) end++;

    const come = pods.slice(head, pods.length - end);
    for (const pod of come) podRequests(pod);
    for (const pod of before.slice(head, before.length - end)) this.#book(pod, -1);
    for (const pod of come) this.#book(pod, 1);
    this.#counted = [...pods];
    return this;
  }

  #book(pod: Pod, sign: 1 | -1): void {
    const requests: Resources = podRequests(pod);
    for (const resource in requests) {
      this.#sums.set(resource, this.used(resource) + sign * (requests[resource] ?? 0));
    }
    if (sign === 1) this.ports.add(hostPorts(pod));
    else this.ports.remove(hostPorts(pod));
  }
}
