/** The heartbeat: a Lease that is renewed until the agent ends, on a connection of its own. */
import { pause, sleep } from "@hooklet/core";
import type { Lease } from "kubernetes-types/coordination/v1.js";
import { isApiError } from "../client/api-error.js";
import { BackOff } from "../client/back-off.js";
import { paths } from "../client/paths.js";
import { type ClaimOptions, claimNode, isOfLeasesAlone, leaseBackOff, readLease } from "./claim.js";
import { agentOf, freshLease, renewedLease } from "./lease-object.js";

export interface LeaseOptions extends ClaimOptions {
  /** As it was when this agent took it; undefined: it is looked up. */
  readonly claimed?: Lease | undefined;
}

/** A lease is renewed so many times within its life. */
const RENEWALS = 4;
const JITTER = 0.04;
/** Milliseconds to the next turn after one that failed. */
const FAILING = 2_000;
/** Updates that are tried before the next turn comes. */
const TRIES = 5;

/** This agent was silent for so long that another one of the same name has the node now. */
class TakenOver extends Error {}

/** Renews until the signal aborts. A lease that another agent took meanwhile is claimed anew: it is this one's again once that one is silent. */
export async function renewLease(options: LeaseOptions, signal: AbortSignal): Promise<void> {
  const { clock, random, nodeLeaseDurationSeconds, tenure } = options;
  const period = (nodeLeaseDurationSeconds * 1_000) / RENEWALS;
  let known = options.claimed;
  let failing = false;
  while (!signal.aborted) {
    try {
      known = await renewed(options, known, signal);
      failing = false;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof TakenOver) {
        tenure.doubted();
        options.report("lease of the node", error);
        known = await claimNode(options, signal);
        failing = false;
        continue;
      }
      known = undefined;
      // Everything else may well work: as with a kubelet the want of a lease alone stops nothing.
      if (isOfLeasesAlone(error, false)) tenure.confirmed(clock.monotonic());
      // Once for each run of failures.
      if (!failing) options.report("lease of the node", error);
      failing = true;
    }
    // The first word after an outage is as a rule this one's: it wakes all others.
    const wait = failing ? Math.min(period, FAILING) : period;
    await pause(clock, wait * (1 + JITTER * random()), signal);
  }
}

async function renewed(options: LeaseOptions, known: Lease | undefined, signal: AbortSignal): Promise<Lease> {
  const { clock, client, nodeName, random, nodeLeaseDurationSeconds, tenure } = options;
  const waits = new BackOff(leaseBackOff, random);
  const given = { signal, timeout: (nodeLeaseDurationSeconds * 1_000) / RENEWALS };
  let current = known;
  for (let tries = 1; ; tries += 1) {
    try {
      const began = clock.monotonic();
      const isRead = current === undefined;
      current ??= await readLease(options, signal);
      const holder = current === undefined ? undefined : agentOf(current);
      if (holder !== undefined && holder !== options.agentId)
        throw new TakenOver(
          `node ${nodeName} was taken over by another agent (${holder}) while this one was silent: stop one of the two`,
        );
      // Seen to be nobody else's, even where it cannot be written.
      if (isRead) tenure.confirmed(began);
      const written = await (current === undefined
        ? client.create<Lease>(paths.leases, freshLease(options, clock.now()), given)
        : client.replace<Lease>(paths.lease(nodeName), renewedLease(options, current, clock.now()), given));
      tenure.confirmed(began);
      return written;
    } catch (error) {
      if (signal.aborted || tries >= TRIES || error instanceof TakenOver) throw error;
      // Somebody else has written it, or it is gone: look again.
      if (isApiError(error, 404, 409)) current = undefined;
      await sleep(clock, waits.failed(clock.monotonic()), signal);
    }
  }
}
