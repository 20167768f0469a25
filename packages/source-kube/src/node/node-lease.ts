/**
 * Whether this agent may act as its node: report pods, take new ones, delete what has ended. It may for as long as its lease lasts, counted
 * from the last read that showed the lease to be its own; an agent that was frozen or cut off for longer reads it first. hooklet's own rule; a
 * kubelet continues, and two of them undo each other's work.
 */

import type { Clock } from "@hooklet/core";
import { unlessAborted } from "@hooklet/core/subsystem";
import type { Lease } from "kubernetes-types/coordination/v1.js";

export class NodeLease {
  /** `doubted`: another agent has taken the lease, and it is not known yet whether that agent lives. */
  #phase: "unclaimed" | "held" | "doubted" | "lost" = "unclaimed";
  /** Monotonic milliseconds. */
  #until = Number.NEGATIVE_INFINITY;
  /** Milliseconds since 1970: the monotonic clock stands still while a machine sleeps. */
  #wallUntil = Number.NEGATIVE_INFINITY;
  #isDisputed = false;
  readonly #listeners = new Set<() => void>();

  constructor(
    private readonly clock: Pick<Clock, "now" | "monotonic">,
    private readonly nodeLeaseDurationSeconds: number,
  ) {}

  get acts(): boolean {
    const { clock } = this;
    return this.#phase === "held" && clock.monotonic() < this.#until && clock.now() < this.#wallUntil;
  }

  /** Another agent has the node, and lives. */
  get isLost(): boolean {
    return this.#phase === "lost";
  }

  /** Another agent has taken it though this one was not silent: the owner of the node is unknown, and running pods keep running. */
  get isDisputed(): boolean {
    return this.#isDisputed;
  }

  /** Nothing of the node is this agent's to tell: not yet, or not any more. */
  get isNone(): boolean {
    return this.#phase === "unclaimed" || this.isLost;
  }

  /** Resolves once it is known whether this agent may act, or has nothing to tell. Rejects with the signal's reason. */
  async known(signal: AbortSignal): Promise<void> {
    while (!this.acts && !this.isNone) {
      let wake: () => void = () => undefined;
      const reported = new Promise<void>((resolve) => {
        wake = resolve;
      });
      this.#listeners.add(wake);
      await unlessAborted(signal, reported).finally(() => this.#listeners.delete(wake));
    }
  }

  /** No other agent had it when a request that began at `began` (monotonic milliseconds) was answered. */
  confirmed(began: number): void {
    const before = this.acts;
    const duration = this.nodeLeaseDurationSeconds * 1_000;
    this.#phase = "held";
    this.#isDisputed = false;
    if (began + duration > this.#until) {
      this.#until = began + duration;
      this.#wallUntil = this.clock.now() - (this.clock.monotonic() - began) + duration;
    }
    if (!before && this.acts) this.#notify();
  }

  /** Another agent has taken it. */
  doubted(): void {
    if (this.#phase !== "held") return;
    this.#isDisputed = this.acts;
    this.#phase = "doubted";
    this.#until = Number.NEGATIVE_INFINITY;
    if (this.#isDisputed) this.#notify();
  }

  /** Another agent has it and lives. Only an agent that was silent loses the node by that. */
  lost(): void {
    if (this.acts || this.#isDisputed) return;
    this.#phase = "lost";
    this.#until = Number.NEGATIVE_INFINITY;
    this.#notify();
  }

  /** Called when the agent may act from now on, when another one was seen to live, and when the node is in dispute. */
  watch(listener: () => void): void {
    this.#listeners.add(listener);
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

// The Lease of a node.

export interface LeaseFacts {
  readonly nodeName: string;
  /** Of this agent and its root folder: the same after a restart. */
  readonly agentId: string;
  readonly nodeLeaseDurationSeconds: number;
  /** Of the Node; undefined as long as it is not known. */
  readonly nodeUid: () => string | undefined;
}

/** Names the agent that renews a lease; kubelets leave it as it is. */
const AGENT = "hooklet.dev/agent";
/** Names an agent that waits for a lease, and when it last tried whether it can be written. */
const WAITING = "hooklet.dev/waiting";

/** The agent that renews it; undefined: none that says so. */
export function agentOf({ metadata }: Lease): string | undefined {
  return metadata?.annotations?.[AGENT];
}

/** `never`: it was not renewed. */
export function renewTimeOf(lease: Lease | undefined): string {
  return lease?.spec?.renewTime ?? "never";
}

/** `now`: milliseconds since 1970. */
export function freshLease(facts: LeaseFacts, now: number): Lease {
  const metadata = { name: facts.nodeName, namespace: "kube-node-lease" };
  return renewedLease(facts, { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata }, now);
}

export function renewedLease(facts: LeaseFacts, lease: Lease, now: number): Lease {
  const { nodeName, agentId, nodeUid, nodeLeaseDurationSeconds } = facts;
  const uid = nodeUid();
  const owners = lease.metadata?.ownerReferences ?? [];
  const owner = { apiVersion: "v1", kind: "Node", name: nodeName, uid: uid ?? "" };
  return {
    ...lease,
    metadata: {
      ...lease.metadata,
      annotations: { ...lease.metadata?.annotations, [AGENT]: agentId },
      ...(owners.length === 0 && uid !== undefined && { ownerReferences: [owner] }),
    },
    spec: {
      ...lease.spec,
      holderIdentity: nodeName,
      leaseDurationSeconds: nodeLeaseDurationSeconds,
      renewTime: microTime(now),
    },
  };
}

/** The lease with a mark, and the same holder: a write that checks permission. */
export function markedLease({ agentId }: LeaseFacts, lease: Lease, now: number): Lease {
  const annotations = { ...lease.metadata?.annotations, [WAITING]: `${agentId} ${microTime(now)}` };
  return { ...lease, metadata: { ...lease.metadata, annotations } };
}

/** metav1.MicroTime. */
export function microTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace(/Z$/, "000Z");
}
