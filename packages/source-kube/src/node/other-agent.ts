/** What is seen of another agent that has the node's lease: whether it lives, and whether it has been silent for too long. */

import type { Clock, NodeContext } from "@hooklet/core";
import type { Lease } from "kubernetes-types/coordination/v1.js";
import { agentOf, type LeaseFacts, type NodeLease, renewTimeOf } from "./node-lease.js";

export interface OtherAgentPorts extends LeaseFacts {
  readonly clock: Pick<Clock, "monotonic">;
  readonly nodeLease: Pick<NodeLease, "lost">;
  report(where: string, error: unknown): void;
  /** Another agent lives under this name; undefined: no longer. */
  heldBy(agent: string | undefined): void;
}

/** Renewals of another agent that are seen before it is held to live: that ends this one's pods. */
const SIGNS_OF_LIFE = 3;
/** Milliseconds between two reads of a lease that another agent holds. */
export const LOOKS = 2_000;

export class OtherAgent {
  #holder: string | undefined;
  #renewTime: string | undefined;
  #readAt = 0;
  /** Milliseconds. */
  #silent = 0;
  /** The other agent that was reported as the holder. */
  #reported: string | undefined;
  /** Renewals seen in a row, by reads close to each other. */
  #renewals = 0;
  #hasLived = false;

  constructor(private readonly ports: OtherAgentPorts) {}

  /** At the last read another agent held it. */
  get isHeld(): boolean {
    return this.#reported !== undefined;
  }

  /** A renewal of it was seen, however late: it lived when this agent did. */
  get hasLived(): boolean {
    return this.#hasLived;
  }

  /** renewTime of a lease that it has not renewed for so long that another one may take it. */
  get passedOver(): string | undefined {
    return this.#isAnother && !this.isHeld ? this.#renewTime : undefined;
  }

  /** It could not have renewed the lease: its silence counts from here. */
  beginAgain(): void {
    this.#silent = 0;
  }

  holds(lease: Lease | undefined): boolean {
    const now = this.ports.clock.monotonic();
    const passed = now - this.#readAt;
    this.#readAt = now;
    if (lease === undefined && this.isHeld) {
      // The lease was deleted: a living agent creates it again with its next renewal.
      this.#silent += this.#counted(passed);
      if (!this.#isSilent) return true;
    }
    const holder = lease === undefined ? undefined : agentOf(lease);
    const renewTime = renewTimeOf(lease);
    const isSame = this.#renewTime === renewTime && this.#holder === holder;
    const isRenewal = !isSame && this.#holder === holder;
    this.#silent = isSame ? this.#silent + this.#counted(passed) : 0;
    [this.#holder, this.#renewTime] = [holder, renewTime];
    const by = this.#isAnother && !this.#isSilent ? holder : undefined;
    if (by !== this.#reported) this.#report(by);
    this.#reported = by;
    // One that was silent for so long has to be seen to live from the beginning.
    if (by === undefined) this.#renewals = 0;
    // Last: pods are ended in the name of the reported holder.
    else this.#heed(isRenewal, isSame, passed);
    return by !== undefined;
  }

  get #isAnother(): boolean {
    return this.#holder !== undefined && this.#holder !== this.ports.agentId;
  }

  get #isSilent(): boolean {
    return this.#silent >= this.ports.nodeLeaseDurationSeconds * 1_000;
  }

  /** Between two reads far apart the API server was away, for the other agent too. */
  #counted(passed: number): number {
    return Math.min(passed, Math.max(LOOKS, this.ports.nodeLeaseDurationSeconds * 250));
  }

  /** One renewal may be long ago, and of one that has died since: several that were all seen as they came are of one that lives. */
  #heed(isRenewal: boolean, isSame: boolean, passed: number): void {
    const isFresh = passed <= this.ports.nodeLeaseDurationSeconds * 1_000;
    this.#hasLived ||= isRenewal;
    if (!isFresh || !(isRenewal || isSame)) this.#renewals = 0;
    else if (isRenewal) {
      this.#renewals += 1;
      if (this.#renewals >= SIGNS_OF_LIFE) this.ports.nodeLease.lost();
    }
  }

  #report(holder: string | undefined): void {
    const { nodeName, nodeLeaseDurationSeconds, report, heldBy } = this.ports;
    heldBy(holder);
    if (holder === undefined) return;
    const until = `until that one has been silent for ${nodeLeaseDurationSeconds} s`;
    const advice = "stop it, or give one of the two another node.name";
    const message = `node ${nodeName} is held by another agent (${holder}): this one waits ${until}; ${advice}`;
    report("claim of the node's lease", new Error(message));
  }
}

// Which agent this is, among those of the same node name: made once, kept in the root folder.

const ID = /^[0-9a-f]{16}$/;

interface AgentIdOptions {
  readonly checkpoint: ReturnType<NodeContext["checkpoint"]>;
  /** From 0 to below 1. */
  readonly random: () => number;
  report(where: string, error: unknown): void;
}

/** A failed write is reported, and the id holds until the agent ends: the next agent waits as another agent would. */
export async function agentId({ checkpoint, random, report }: AgentIdOptions): Promise<string> {
  const failed = (error: unknown): void => report("id of the agent", error);
  const made = Array.from({ length: 16 }, () => Math.floor(random() * 16).toString(16)).join("");
  const kept = checkpoint.keep<string>({ value: () => made, schema: (z) => z.string().regex(ID), failed });
  const known = await kept.read().catch(failed);
  if (known === undefined) await kept.saved();
  return known ?? made;
}
