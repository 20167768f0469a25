/** One agent per node name: its lease carries the id of the agent that renews it, and a second agent waits. hooklet's own rule; kubelets do not check. */
import type { Clock } from "@hooklet/core";
import { pause } from "@hooklet/core/subsystem";
import type { Lease } from "kubernetes-types/coordination/v1.js";
import { isApiError, isPassing, UNREACHABLE } from "../client/api-error.js";
import { BackOff, type BackOffRule } from "../client/back-off.js";
import type { KubeClient } from "../client/client.js";
import { paths } from "../client/paths.js";
import { freshLease, type LeaseFacts, markedLease, type NodeLease, renewedLease } from "./node-lease.js";
import { LOOKS, OtherAgent, type OtherAgentPorts } from "./other-agent.js";

export interface ClaimOptions extends OtherAgentPorts {
  readonly client: Pick<KubeClient, "get" | "create" | "replace">;
  readonly clock: Clock;
  readonly random: () => number;
  readonly nodeLease: Pick<NodeLease, "confirmed" | "lost">;
}

export interface Claim {
  /** As this agent wrote it; undefined: leases are at fault, and the agent does without. */
  readonly lease?: Lease;
  /** renewTime of another agent's lease that is not renewed and that could not be written. */
  readonly passedOver?: string;
}

/** For reads and writes of the lease. */
export const leaseBackOff: BackOffRule = { first: 200, last: 7_000, jitter: 0, reset: Number.POSITIVE_INFINITY };

/**
 * Resolves with the lease once this agent holds it, without it when the signal aborts. A lease of another agent is taken over when it has
 * not been renewed for its whole duration, measured here: the clocks of two machines need not agree. Time in which the lease could not be
 * read or written does not count. Also resolves without it when leases alone have failed for as long (forbidden, no such namespace, a failing
 * webhook) and no other agent was seen alive: as with a kubelet, a missing lease does not keep a node out. Reports what it sees to the
 * node lease. `seen`: a lease of another agent that was read before.
 */
export async function claimNode(options: ClaimOptions, signal: AbortSignal, seen?: Lease): Promise<Claim> {
  const { clock, random, report, nodeLease } = options;
  const waits = new BackOff(leaseBackOff, random);
  const other = new OtherAgent(options);
  if (seen !== undefined) other.holds(seen);
  /** A write failed, and none was taken since: the other one may be silent for the same reason. */
  let isUnwritable = false;
  /** Leases alone have been at fault since then. */
  let faultAt: number | undefined;
  let failing = false;
  while (!signal.aborted) {
    let wait = LOOKS;
    let hasLooked = false;
    try {
      const found = await readLease(options, signal);
      hasLooked = true;
      const isFree = !other.holds(found);
      if (isFree && isUnwritable && found !== undefined && other.passedOver !== undefined) {
        await mark(options, found, signal);
        isUnwritable = false;
        other.beginAgain();
      } else if (isFree) {
        const began = clock.monotonic();
        const lease = await write(options, found, signal);
        nodeLease.confirmed(began);
        return { lease };
      }
      failing = false;
      faultAt = undefined;
    } catch (error) {
      if (signal.aborted) return {};
      isUnwritable ||= hasLooked && !isApiError(error, 409);
      wait = waits.failed(clock.monotonic());
      // Another agent was faster: read again. Otherwise a series of failures is reported once.
      if (!isApiError(error, 409) && !failing) report("claim of the node's lease", error);
      failing = !isApiError(error, 409);
      const now = clock.monotonic();
      faultAt = isOfLeasesAlone(error, hasLooked) ? (faultAt ?? now) : undefined;
      const isEnough = faultAt !== undefined && now - faultAt >= options.nodeLeaseDurationSeconds * 1_000;
      if (isEnough && !other.isHeld && !other.hasLived) {
        nodeLease.confirmed(now);
        const { passedOver } = other;
        return passedOver === undefined ? {} : { passedOver };
      }
    }
    await pause(clock, wait, signal);
  }
  return {};
}

/**
 * Everything else may well work: the server says no to this, or refuses to write what it gave to read. Who is not known at all (401), and
 * a server that fails at reading, has trouble with more than leases.
 */
export function isOfLeasesAlone(error: unknown, hasLooked: boolean): boolean {
  if (!isApiError(error) || isApiError(error, UNREACHABLE, 401, 409)) return false;
  return hasLooked || !isPassing(error);
}

/** Undefined: there is none. Rejects with ApiError, or with the signal's reason. */
export async function readLease(
  { client, nodeName }: Pick<ClaimOptions, "client" | "nodeName">,
  signal: AbortSignal,
): Promise<Lease | undefined> {
  try {
    return await client.get<Lease>(paths.lease(nodeName), { signal });
  } catch (error) {
    if (isApiError(error, 404)) return undefined;
    throw error;
  }
}

/** Sends the version that was read: two agents that read at the same time cannot both get it. */
function write(options: ClaimOptions, found: Lease | undefined, signal: AbortSignal): Promise<Lease> {
  const { client, clock, nodeName } = options;
  if (found === undefined) return client.create<Lease>(paths.leases, freshLease(options, clock.now()), { signal });
  return client.replace<Lease>(paths.lease(nodeName), renewedLease(options, found, clock.now()), { signal });
}

/** Checks that the lease can be written without changing its holder. Rejects as a write does. */
export function mark(
  { client, clock, ...facts }: Pick<ClaimOptions, "client" | "clock"> & LeaseFacts,
  found: Lease,
  signal: AbortSignal,
): Promise<Lease> {
  return client.replace<Lease>(paths.lease(facts.nodeName), markedLease(facts, found, clock.now()), { signal });
}
