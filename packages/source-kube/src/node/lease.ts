/** The heartbeat: a Lease that is renewed until the agent ends, on a dedicated connection. */
import { sleep } from "@hooklet/core";
import { pause } from "@hooklet/core/subsystem";
import type { Lease } from "kubernetes-types/coordination/v1.js";
import { isApiError, isPassing, UNREACHABLE } from "../client/api-error.js";
import { BackOff } from "../client/back-off.js";
import { paths } from "../client/paths.js";
import { type Claim, type ClaimOptions, claimNode, isOfLeasesAlone, leaseBackOff, mark, readLease } from "./claim.js";
import { agentOf, freshLease, type NodeLease, renewedLease, renewTimeOf } from "./node-lease.js";

export interface LeaseOptions extends ClaimOptions {
  /** With the lease that this agent has just taken; otherwise it is read. */
  readonly claimed?: Claim;
  readonly nodeLease: Pick<NodeLease, "acts" | "confirmed" | "doubted" | "lost">;
}

/** A lease is renewed so many times within its life. */
const RENEWALS = 4;
const JITTER = 0.04;
/** Milliseconds to the next turn after one that failed. */
const FAILING = 2_000;
/** Updates that are tried before the next turn comes. */
const TRIES = 5;

/** Another agent of the same name has the node, or may have it: it must be claimed again. */
class TakenOver extends Error {
  constructor(
    message: string,
    readonly lease: Lease | undefined,
  ) {
    super(message);
  }
}

/** Renews until the signal aborts. A lease that another agent took meanwhile is claimed again, and taken back once that agent is silent. */
export async function renewLease(options: LeaseOptions, signal: AbortSignal): Promise<void> {
  const { clock, random, nodeLeaseDurationSeconds, nodeLease } = options;
  const period = (nodeLeaseDurationSeconds * 1_000) / RENEWALS;
  let { lease: known, passedOver } = options.claimed ?? {};
  let failing = false;
  while (!signal.aborted) {
    try {
      known = await renewed(options, { known, passedOver }, signal);
      passedOver = undefined;
      failing = false;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof TakenOver) {
        nodeLease.doubted();
        options.report("lease of the node", error);
        ({ lease: known, passedOver } = await claimNode(options, signal, error.lease));
        failing = false;
        continue;
      }
      known = undefined;
      // Everything else may work: as with a kubelet, a failing lease alone stops nothing.
      const began = clock.monotonic();
      if (isOfLeasesAlone(error, false) || (await isWellElsewhere(options, error, signal))) nodeLease.confirmed(began);
      // Once for each run of failures.
      if (!failing) options.report("lease of the node", error);
      failing = true;
    }
    // The first answer after an outage is usually this one: it wakes all others.
    const wait = failing ? Math.min(period, FAILING) : period;
    await pause(clock, wait * (1 + JITTER * random()), signal);
  }
}

/**
 * Leases cannot be read, and the node can: an agent that was active until now continues. An agent that was silent before reads its
 * lease first, however long that takes: another agent may have it.
 */
async function isWellElsewhere(options: LeaseOptions, error: unknown, signal: AbortSignal): Promise<boolean> {
  const { client, nodeName, nodeLeaseDurationSeconds, nodeLease } = options;
  if (!nodeLease.acts || !isPassing(error) || isApiError(error, UNREACHABLE)) return false;
  try {
    await client.get(paths.node(nodeName), { signal, timeout: (nodeLeaseDurationSeconds * 1_000) / RENEWALS });
    return true;
  } catch (failure) {
    return isApiError(failure, 404);
  }
}

interface Known {
  readonly known: Lease | undefined;
  readonly passedOver: string | undefined;
}

async function renewed(options: LeaseOptions, { known, passedOver }: Known, signal: AbortSignal): Promise<Lease> {
  const { clock, client, nodeName, random, nodeLeaseDurationSeconds, nodeLease } = options;
  const waits = new BackOff(leaseBackOff, random);
  const given = { signal, timeout: (nodeLeaseDurationSeconds * 1_000) / RENEWALS };
  let current = known;
  for (let tries = 1; ; tries += 1) {
    try {
      const began = clock.monotonic();
      const isRead = current === undefined;
      current ??= await readLease(options, signal);
      const holder = current === undefined ? undefined : agentOf(current);
      const another = holder === options.agentId ? undefined : holder;
      if (another !== undefined && renewTimeOf(current) !== passedOver) throw takenOver(options, another, current);
      // Read as not renewed by another agent, even where it cannot be written.
      if (isRead) nodeLease.confirmed(began);
      if (another !== undefined && current !== undefined) {
        await mark(options, current, signal);
        const text = `the lease of node ${nodeName} can be written again: it is seen whether the agent that held it (${another}) renews it`;
        throw new TakenOver(text, current);
      }
      const written = await (current === undefined
        ? client.create<Lease>(paths.leases, freshLease(options, clock.now()), given)
        : client.replace<Lease>(paths.lease(nodeName), renewedLease(options, current, clock.now()), given));
      nodeLease.confirmed(began);
      return written;
    } catch (error) {
      if (signal.aborted || tries >= TRIES || error instanceof TakenOver) throw error;
      // Another agent has written it, or it was deleted: read again.
      if (isApiError(error, 404, 409)) current = undefined;
      await sleep(clock, waits.failed(clock.monotonic()), signal);
    }
  }
}

function takenOver({ nodeName, nodeLease }: LeaseOptions, holder: string, lease: Lease | undefined): TakenOver {
  const how = nodeLease.acts ? "though this one was not silent" : "while this one was silent";
  return new TakenOver(
    `node ${nodeName} was taken over by another agent (${holder}) ${how}: stop one of the two`,
    lease,
  );
}
