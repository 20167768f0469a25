/** One agent for one node name: its lease carries the id of the agent that renews it, and a second one waits. Own rule; kubelets do not look. */
import { type Clock, sleep } from "@hooklet/core";
import type { Lease } from "kubernetes-types/coordination/v1.js";
import { isApiError } from "../client/api-error.js";
import { BackOff, type BackOffRule } from "../client/back-off.js";
import type { KubeClient } from "../client/client.js";
import { paths } from "../client/paths.js";
import { agentOf, freshLease, type LeaseFacts, renewedLease } from "./lease-object.js";

export interface ClaimOptions extends LeaseFacts {
  readonly client: Pick<KubeClient, "get" | "create" | "replace">;
  readonly clock: Clock;
  readonly random: () => number;
  report(where: string, error: unknown): void;
  /** Another agent lives under this name; undefined: no longer. */
  held(by: string | undefined): void;
}

/** Milliseconds between two looks at a lease that another agent holds. */
const LOOKS = 2_000;
const backOff: BackOffRule = { first: 200, last: 7_000, jitter: 0, reset: Number.POSITIVE_INFINITY };

/**
 * Resolves with the lease once this agent holds it; undefined when the signal aborts. A lease of another agent is taken over when it has
 * not been renewed for its whole duration, measured here: the clocks of two machines need not agree.
 */
export async function claimNode(options: ClaimOptions, signal: AbortSignal): Promise<Lease | undefined> {
  const { clock, random, report } = options;
  const waits = new BackOff(backOff, random);
  const other = new Other(options);
  let failing = false;
  while (!signal.aborted) {
    let wait = LOOKS;
    try {
      const found = await read(options, signal);
      failing = false;
      if (!other.holds(found)) return await write(options, found, signal);
    } catch (error) {
      if (signal.aborted) return undefined;
      wait = waits.failed(clock.monotonic());
      // Somebody was faster: look again. Otherwise once for each run of failures.
      if (!isApiError(error, 409) && !failing) report("claim of the node's lease", error);
      failing = !isApiError(error, 409);
    }
    await sleep(clock, wait, signal).catch(() => undefined);
  }
  return undefined;
}

/** What is seen of another agent. */
class Other {
  #renewTime: string | undefined;
  #since = 0;
  #told = false;

  constructor(private readonly options: ClaimOptions) {}

  holds(lease: Lease | undefined): boolean {
    const { clock, agentId, nodeLeaseDurationSeconds } = this.options;
    const holder = lease === undefined ? undefined : agentOf(lease);
    const now = clock.monotonic();
    const renewTime = lease?.spec?.renewTime ?? "never";
    if (this.#renewTime !== renewTime) this.#since = now;
    this.#renewTime = renewTime;
    const silent = now - this.#since >= nodeLeaseDurationSeconds * 1_000;
    const holds = holder !== undefined && holder !== agentId && !silent;
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
    const message = `node ${nodeName} is held by another agent (${holder}): this one takes no pods ${until}; ${advice}`;
    report("claim of the node's lease", new Error(message));
  }
}

async function read({ client, nodeName }: ClaimOptions, signal: AbortSignal): Promise<Lease | undefined> {
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
