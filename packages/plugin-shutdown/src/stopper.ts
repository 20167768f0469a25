/** Stops the pods of the node, group after group. */
import { type Clock, errorText, type NodeContext, namespacedName, type Pod, pause } from "@hooklet/core";
import { type Group, graceOf, groupByPriority, type Period } from "./groups.js";
import { disruption, terminated } from "./words.js";

export interface StopperParts extends Pick<NodeContext, "log"> {
  readonly clock: Clock;
  readonly pods: Pick<NodeContext["pods"], "active" | "awaited" | "evict">;
  readonly periods: readonly Period[];
}

/** Resolves once all are gone, the time of the last group is over, or the signal aborts. */
export async function stopAll(parts: StopperParts, signal: AbortSignal): Promise<void> {
  await untilKnown(parts, signal);
  for (const index of parts.periods.keys()) {
    if (signal.aborted) return;
    // Looked at when it is its turn: an agent that was restarted may take a pod over meanwhile.
    const group = groupByPriority(parts.periods, parts.pods.active())[index] as Group;
    if (group.pods.length > 0) await stopGroup(parts, group, signal);
  }
}

/** Milliseconds between two looks, and of them all. */
const LOOK = 100;
const PATIENCE = 10_000;

/** An agent that is started in the middle of a shutdown knows what runs before it knows who wants it. */
async function untilKnown({ clock, pods }: StopperParts, signal: AbortSignal): Promise<void> {
  const end = clock.monotonic() + PATIENCE;
  while (pods.awaited().length > 0 && clock.monotonic() < end && !signal.aborted) await pause(clock, LOOK, signal);
}

async function stopGroup({ clock, log, pods }: StopperParts, group: Group, signal: AbortSignal): Promise<void> {
  const stop = async (pod: Pod): Promise<void> => {
    const gracePeriodSeconds = graceOf(pod, group);
    try {
      await pods.evict(pod.metadata.uid, {
        ...terminated,
        gracePeriodSeconds,
        condition: disruption,
        unconditional: true,
        lasting: false,
      });
    } catch (error) {
      log.warn({ pod: namespacedName(pod.metadata) }, `Shutdown manager failed killing pod: ${errorText(error)}`);
    }
  };
  const enough = new AbortController();
  const over = pause(clock, group.shutdownGracePeriodSeconds * 1_000, AbortSignal.any([signal, enough.signal]));
  const all = Promise.all(group.pods.map(stop)).then(() => "all");
  const how = await Promise.race([all, over.then(() => "time")]);
  enough.abort();
  if (signal.aborted) return;
  const facts = { priority: group.priority, gracePeriod: group.shutdownGracePeriodSeconds, pods: group.pods.length };
  log.info(facts, how === "all" ? "all pods of the group have ended" : "Shutdown manager pod killing time out");
}
