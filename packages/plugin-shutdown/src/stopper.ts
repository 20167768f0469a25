/** Stops the pods of the node, group after group. */
import { type Clock, errorText, type NodeContext, namespacedName, type Pod, pause } from "@hooklet/core";
import { type Group, graceOf, groupByPriority, type Period } from "./groups.js";
import { disruption, terminated } from "./words.js";

export interface StopperParts extends Pick<NodeContext, "log"> {
  readonly clock: Clock;
  readonly pods: Pick<NodeContext["pods"], "active" | "evict">;
  readonly periods: readonly Period[];
}

/** Resolves once all are gone, the time of the last group is over, or the signal aborts. */
export async function stopAll(parts: StopperParts, signal: AbortSignal): Promise<void> {
  for (const group of groupByPriority(parts.periods, parts.pods.active())) {
    if (signal.aborted) return;
    if (group.pods.length > 0) await stopGroup(parts, group, signal);
  }
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
