/** The node as each plugin sees it: what a plugin sets carries its name. */
import { agentStopping, type Clock } from "@hooklet/utils";
import type { NodePort, PodCgroups } from "../plugin/contract/node.js";
import { toQuantityTexts } from "./capacity.js";
import { nodeClaimConflict } from "./claimed.js";
import { NodeConditions } from "./conditions.js";
import { HintProviders } from "./hint-providers.js";
import type { Node } from "./node.js";
import { Reclaimers } from "./reclaimers.js";
import { StatisticsHub } from "./statistics.js";

export interface NodePorts {
  readonly conditions: NodeConditions;
  readonly statistics: StatisticsHub;
  port(plugin: string): NodePort;
  /** Aborts what is being read or reclaimed. */
  stop(): void;
}

/** `serverPort`: of the kubelet's server. */
export function createNodePorts(
  node: Node,
  clock: Clock,
  report: (where: string, error: unknown) => void,
  serverPort?: number,
): NodePorts {
  const stopping = new AbortController();
  const conditions = new NodeConditions(clock, (error) => report("watch of the node's conditions", error));
  const statistics = new StatisticsHub(clock, stopping.signal);
  const reclaimers = new Reclaimers(clock, stopping.signal);
  const hints = new HintProviders();
  let cgroups: { readonly plugin: string; readonly where: () => PodCgroups | undefined } | undefined;
  return {
    conditions,
    statistics,
    stop: () => stopping.abort(agentStopping()),
    port: (plugin) => ({
      name: node.name,
      rootDir: node.rootDir,
      serverPort,
      evictionHard: node.evictionHard,
      get labels() {
        return node.labels;
      },
      ip: node.ip,
      capacity: () => node.capacity(),
      allocatable: () => node.allocatable(),
      quantities: () => {
        const { capacity, allocatable } = node.amounts();
        return { capacity: toQuantityTexts(capacity), allocatable: toQuantityTexts(allocatable) };
      },
      reserved: () => node.reserved,
      facts: () => node.facts(),
      setExtendedResource: (name, amount) => node.setExtendedResource(name, amount),
      setCondition: (type, state) => conditions.set(plugin, type, state),
      conditions: () => conditions.list(),
      watchConditions: (listener) => conditions.watch(listener),
      setLabels: (labels) => node.additions.setLabels(plugin, labels),
      setTaints: (taints) => node.additions.setTaints(plugin, taints),
      provideStatistics: (provider) => statistics.provide(plugin, provider),
      statistics: (maxAgeSeconds) => statistics.read(maxAgeSeconds),
      measureDisks: (maxAgeSeconds) => statistics.measureDisks(maxAgeSeconds),
      memory: () => statistics.memory(),
      provideCgroups: (where) => {
        if (cgroups !== undefined && cgroups.plugin !== plugin)
          throw nodeClaimConflict("the cgroups of pods", cgroups.plugin, plugin);
        cgroups = { plugin, where };
      },
      cgroups: () => cgroups?.where(),
      offerReclaim: (offer) => reclaimers.offer(plugin, offer),
      reclaimers: () => reclaimers.list(plugin),
      offerHints: (provider) => hints.offer(plugin, provider),
      hintProviders: () => hints.list(),
    }),
  };
}
