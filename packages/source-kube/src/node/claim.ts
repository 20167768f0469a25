/** One agent for one node name: its lease carries the id of the agent that renews it, and a second one waits. Own rule; kubelets do not look. */
import { type Clock, pause } from "@hooklet/core";
import type { Lease } from "kubernetes-types/coordination/v1.js";
import { isApiError, isPassing, UNREACHABLE } from "../client/api-error.js";
import { BackOff, type BackOffRule } from "../client/back-off.js";
import type { KubeClient } from "../client/client.js";
import { paths } from "../client/paths.js";
import { agentOf, freshLease, type LeaseFacts, renewedLease } from "./lease-object.js";
import type { Tenure } from "./tenure.js";

export interface ClaimOptions extends LeaseFacts {
  readonly client: Pick<KubeClient, "get" | "create" | "replace">;
  readonly clock: Clock;
  readonly random: () => number;
  readonly tenure: Pick<Tenure, "confirmed" | "doubted" | "lost">;
  report(where: string, error: unknown): void;
  /** Another agent lives under this name; undefined: no longer. */
  held(by: string | undefined): void;
}

/** Milliseconds between two looks at a lease that another agent holds. */
const LOOKS = 2_000;
/** Of whoever reads or writes the lease. */
export const leaseBackOff: BackOffRule = { first: 200, last: 7_000, jitter: 0, reset: Number.POSITIVE_INFINITY };

/**
 * Resolves with the lease once this agent holds it; undefined when the signal aborts. A lease of another agent is taken over when it has
 * not been renewed for its whole duration, measured here: the clocks of two machines need not agree. Time in which nobody could look at
 * it does not count. Undefined as well when leases alone have been at fault for as long (forbidden, no such namespace, a webhook that
 * fails) and no other agent was seen: as with a kubelet a node does not stay out for the want of its lease. Tells the tenure what it sees.
 */
export async function claimNode(options: ClaimOptions, signal: AbortSignal): Promise<Lease | undefined> {
  const { clock, random, report, tenure } = options;
  const waits = new BackOff(leaseBackOff, random);
  const other = new Other(options);
  /** Leases alone have been at fault since then. */
  let faultAt: number | undefined;
  let failing = false;
  while (!signal.aborted) {
    let wait = LOOKS;
    let hasLooked = false;
    try {
      const found = await readLease(options, signal);
      hasLooked = true;
      if (!other.holds(found)) {
        const began = clock.monotonic();
        const claimed = await write(options, found, signal);
        tenure.confirmed(began);
        return claimed;
      }
      failing = false;
      faultAt = undefined;
    } catch (error) {
      if (signal.aborted) return undefined;
      wait = waits.failed(clock.monotonic());
      // Somebody was faster: look again. Otherwise once for each run of failures.
      if (!isApiError(error, 409) && !failing) report("claim of the node's lease", error);
      failing = !isApiError(error, 409);
      const now = clock.monotonic();
      faultAt = isOfLeasesAlone(error, hasLooked) ? (faultAt ?? now) : undefined;
      const isEnough = faultAt !== undefined && now - faultAt >= options.nodeLeaseDurationSeconds * 1_000;
      if (isEnough && !other.isHeld) {
        tenure.confirmed(now);
        return undefined;
      }
    }
    await pause(clock, wait, signal);
  }
  return undefined;
}

/**
 * Everything else may well work: the server says no to this, or refuses to write what it gave to read. Who is not known at all (401), and
 * a server that fails at reading, has trouble with more than leases.
 */
export function isOfLeasesAlone(error: unknown, hasLooked: boolean): boolean {
  if (!isApiError(error) || isApiError(error, UNREACHABLE, 401, 409)) return false;
  return hasLooked || !isPassing(error);
}

/** What is seen of another agent. */
class Other {
  #renewTime: string | undefined;
  #lookedAt = 0;
  /** Milliseconds. */
  #silent = 0;
  #told = false;

  constructor(private readonly options: ClaimOptions) {}

  /** At the last look another agent held it. */
  get isHeld(): boolean {
    return this.#told;
  }

  holds(lease: Lease | undefined): boolean {
    const { clock, agentId, nodeLeaseDurationSeconds } = this.options;
    const holder = lease === undefined ? undefined : agentOf(lease);
    const now = clock.monotonic();
    const renewTime = lease?.spec?.renewTime ?? "never";
    // Between two looks that lie far apart the API server was away, for the other one too.
    const most = Math.max(LOOKS, nodeLeaseDurationSeconds * 250);
    const isAnother = holder !== undefined && holder !== agentId;
    // Between the last look and this one it has renewed the lease, or another one has taken it.
    if (isAnother && this.#renewTime !== undefined && this.#renewTime !== renewTime) this.options.tenure.lost();
    this.#silent = this.#renewTime === renewTime ? this.#silent + Math.min(now - this.#lookedAt, most) : 0;
    this.#lookedAt = now;
    this.#renewTime = renewTime;
    const silent = this.#silent >= nodeLeaseDurationSeconds * 1_000;
    const holds = isAnother && !silent;
    if (holds !== this.#told) this.#tell(holds ? holder : undefined);
    this.#told = holds;
    return holds;
  }

  #tell(holder: string | undefined): void {
    const { nodeName, nodeLeaseDurationSeconds, report, held } = this.options;
    held(holder);
    if (holder === undefined) return;
    const until = `until that one has been silent for ${nodeLeaseDurationSeconds} s`;
    const advice = "stop it, or give one of the two another node.name";
    const message = `node ${nodeName} is held by another agent (${holder}): this one waits ${until}; ${advice}`;
    report("claim of the node's lease", new Error(message));
  }
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

/** The version that was read goes with it: two that look at the same time cannot both have it. */
function write(options: ClaimOptions, found: Lease | undefined, signal: AbortSignal): Promise<Lease> {
  const { client, clock, nodeName } = options;
  if (found === undefined) return client.create<Lease>(paths.leases, freshLease(options, clock.now()), { signal });
  return client.replace<Lease>(paths.lease(nodeName), renewedLease(options, found, clock.now()), { signal });
}
