/** The node as each plugin sees it: what a plugin sets carries its name. */

import {
  agentStopping,
  type Clock,
  hostUnavailable,
  invalid,
  type NodeAgentError,
  unlessAborted,
  withDeadline,
} from "@hooklet/utils";
import type {
  HintProvider,
  NodePort,
  PodCgroups,
  Reclaimer,
  ReclaimOffer,
  ReclaimResult,
} from "../plugin/contract/node.js";
import { toQuantityTexts } from "./capacity.js";
import { NodeConditions, nodeClaimConflict } from "./conditions.js";
import type { Node } from "./node.js";
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

// Who has a say in the NUMA alignment of pods: each name once.

interface Owned {
  readonly plugin: string;
  readonly provider: HintProvider;
}

const METHODS = ["containerHints", "podHints", "allocate"] as const;

export class HintProviders {
  readonly #providers = new Map<string, Owned>();

  /** @throws NodeAgentError CLAIM_CONFLICT naming the other plugin, INVALID for what is no provider */
  offer(plugin: string, provider: HintProvider): void {
    const { name } = (provider ?? {}) as Partial<HintProvider>;
    if (typeof name !== "string" || name === "") throw invalid("offerHints", "a provider with a name", provider);
    const missing = METHODS.find((method) => typeof provider[method] !== "function");
    if (missing !== undefined) throw invalid(`offerHints: ${missing} of "${name}"`, "a method", provider[missing]);
    const first = this.#providers.get(name);
    if (first !== undefined && first.plugin !== plugin) {
      throw nodeClaimConflict(`the hint provider "${name}"`, first.plugin, plugin);
    }
    this.#providers.set(name, { plugin, provider });
  }

  list(): readonly HintProvider[] {
    return [...this.#providers.values()].map(({ provider }) => provider);
  }
}

// Who can free disk space, and how to ask for it.

/** Seconds. */
const RECLAIM_DEADLINE = 120;

export class Reclaimers {
  readonly #offers = new Map<string, { readonly plugin: string; readonly offer: ReclaimOffer }>();

  constructor(
    private readonly clock: Clock,
    private readonly stopped: AbortSignal,
  ) {}

  /** An offer of the same plugin and name takes the place of the earlier one. */
  offer(plugin: string, offer: ReclaimOffer): void {
    const { name, frees, order } = offer;
    if (frees !== "image" && frees !== "container") throw invalid("offerReclaim: frees", "image or container", frees);
    if (!Number.isFinite(order)) throw invalid("offerReclaim: order", "a number", order);
    this.#offers.set(`${plugin}\0${name}`, { plugin, offer });
  }

  /** In ascending order; those of the same order as they were offered. @param by the plugin that asks */
  list(by: string): readonly Reclaimer[] {
    return [...this.#offers.values()]
      .sort((a, b) => a.offer.order - b.offer.order)
      .map(({ plugin, offer }) => {
        const { name, frees, order } = offer;
        return { plugin, name, frees, order, reclaim: (signal) => this.#run(plugin, offer, signal, by) };
      });
  }

  /** Resolves or rejects in time, also when the plugin heeds no signal. */
  async #run(plugin: string, offer: ReclaimOffer, signal: AbortSignal, by: string): Promise<ReclaimResult> {
    const late = new AbortController();
    const stop = AbortSignal.any([signal, late.signal, this.stopped]);
    stop.throwIfAborted();
    const work = unlessAborted(stop, (async () => offer.reclaim(stop, by))());
    try {
      return await withDeadline(this.clock, RECLAIM_DEADLINE * 1000, work, () => timeout(plugin, offer.name));
    } catch (error) {
      late.abort(error);
      throw error;
    }
  }
}

function timeout(plugin: string, name: string): NodeAgentError {
  const what = `Plugin "${plugin}" did not free ${name}: expected within ${RECLAIM_DEADLINE} s, still busy`;
  return hostUnavailable(what, { plugin });
}
