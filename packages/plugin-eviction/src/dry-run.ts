/** `hooklet plan eviction [--signal S]`: which pods would be evicted now, in which order, and why. */
import { type Decision, NodeAgentError, type NodeContext, type PlanInput, podSubject } from "@hooklet/core";
import { consideredRows } from "./considered.js";
import type { EvictionManager, RoundPorts } from "./eviction-manager.js";
import { reclaimFor } from "./layout.js";
import { type Asked, observationsOf, type StatisticsByUid, statisticsByUid } from "./observations.js";
import type { ManagerSettings } from "./options.js";
import { chooseVictim } from "./round.js";
import { isSignal, resourceOf, type Signal, signalNames } from "./signals.js";
import { hasStorageLimits, storageOffenders } from "./storage-limits.js";
import { byUrgency, thresholdsMet } from "./thresholds.js";

export interface PlanParts {
  readonly ctx: Pick<NodeContext, "plugin" | "clock">;
  readonly manager: EvictionManager;
  readonly settings: ManagerSettings;
  readonly ports: Pick<RoundPorts, "statistics" | "layout" | "activePods">;
}

/**
 * One decision for the requested signal, or for each that is crossed now, and one for each pod over a limit of local
 * storage. @throws NodeAgentError INVALID for other arguments
 */
export async function planned(parts: PlanParts, { arguments: given }: PlanInput): Promise<readonly Decision[]> {
  const asked = signalAsked(given);
  const { ctx, manager, settings, ports } = parts;
  const [read, layout] = [await ports.statistics(), manager.state.layout ?? (await ports.layout())];
  const active = ports.activePods();
  const statisticsFor = async (what: Asked): Promise<StatisticsByUid> => statisticsByUid(await read.pods(what));
  const decide = (subject: string, outcome: string, considered: Decision["considered"] = []): Decision => ({
    at: ctx.clock.now(),
    plugin: ctx.plugin,
    strategy: settings.rankingName,
    subject,
    considered,
    outcome,
  });
  const forSignal = async (signal: Signal): Promise<Decision> => {
    const { ranking, rankingName } = settings;
    const statistics = await statisticsFor(resourceOf(signal));
    const choice = chooseVictim({ signal, pods: active, statistics, layout, ranking, rankingName });
    const cleans = reclaimFor(signal, layout);
    const first =
      cleans.length === 0 ? "" : `would remove unused ${cleans.join(" and ")} first; if that is not enough, `;
    const who = choice.victim === undefined ? "no pod may be evicted" : `would evict ${choice.victim.name}`;
    const failure = choice.failure === undefined ? "" : ` (${choice.failure})`;
    return decide(`signal/${signal}`, `${first}${who}${failure}`, consideredRows(resourceOf(signal), choice, active));
  };
  if (asked !== undefined) return [await forSignal(asked)];
  const isolated = settings.localStorageCapacityIsolation && active.some(hasStorageLimits);
  const offenders = isolated ? storageOffenders(active, await statisticsFor("limits"), layout) : [];
  const decisions = offenders.map(({ pod, message }) => decide(podSubject(pod), `would be evicted: ${message.trim()}`));
  const met = thresholdsMet(manager.state.thresholds, observationsOf(read.node), { minReclaim: false });
  for (const signal of new Set(byUrgency(met).map((one) => one.signal))) decisions.push(await forSignal(signal));
  return decisions.length > 0 ? decisions : [decide("node", "no threshold is crossed; no pod would be evicted")];
}

function signalAsked({ signal, ...rest }: Readonly<Record<string, string>>): Signal | undefined {
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) {
    throw new NodeAgentError("INVALID", `plan eviction: expected --signal SIGNAL or nothing, found --${unknown}.`);
  }
  if (signal === undefined || isSignal(signal)) return signal;
  throw new NodeAgentError(
    "INVALID",
    `plan eviction: expected --signal of ${signalNames.join(", ")}, found "${signal}".`,
  );
}
