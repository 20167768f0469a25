import type { Pod } from "@hooklet/core";
import type { PodEviction } from "@hooklet/plugin-eviction";
import {
  EvictionManager,
  kubelet,
  type NodeStatistics,
  type PodStatistics,
  parseGoDuration,
  parseThresholdConfig,
  type RoundPorts,
  type Statistics,
  type ThresholdSettings,
} from "@hooklet/plugin-eviction/internal";
import type { Adapter } from "../adapter.js";
import { differences } from "../difference.js";
import { checkedNode, checkedPodStatistics, only, type RawLayout, toLayout, toPods } from "./eviction.js";
import { admission } from "./eviction-admit.js";
import type { RawPod } from "./pods.js";

interface Config extends ThresholdSettings {
  readonly evictionPressureTransitionPeriod: string;
  readonly evictionMaxPodGracePeriod: number;
  readonly localStorageCapacityIsolation: boolean;
}

interface RawStep {
  /** Seconds. */
  readonly at: number;
  /** Names of pods. */
  readonly active: readonly string[];
  /** Absent: as before. */
  readonly node?: NodeStatistics;
  readonly podStats?: readonly PodStatistics[];
  readonly nodeAfterReclaim?: NodeStatistics;
  readonly diskInfoError?: boolean;
  readonly statsError?: boolean;
  readonly statsErrorAfterReclaim?: boolean;
  readonly gcErrors?: readonly string[];
  readonly killErrors?: readonly string[];
}

interface Input extends RawLayout {
  readonly config: Config;
  readonly pods: readonly RawPod[];
  readonly admission?: readonly RawPod[];
  readonly steps: readonly RawStep[];
}

type Record_ = Record<string, unknown>;

export const adapter: Adapter<Input> = {
  async run(input) {
    only("input", input, "config", "dedicatedImageFs", "splitContainerImageFs", "pods", "admission", "steps");
    const run = new Run(input);
    const steps: Record_[] = [];
    for (const step of input.steps) steps.push(await run.step(step));
    return { steps };
  },
  /** Where the kubelet leaves it to chance, the whole answer is one of several; a label is one of several. */
  part(answer: { steps: Record_[] }, expected: { steps: Record_[] } | { anyOf: { steps: Record_[] }[] }) {
    if (!("anyOf" in expected)) return withLabels(answer, expected);
    const all = expected.anyOf.map((one) => ({ one, answer: withLabels(answer, one) }));
    const right = all.find(({ one, answer: labelled }) => differences(one, labelled).length === 0);
    return right === undefined ? (all[0]?.answer ?? answer) : expected;
  },
};

/** The answer with `signalAnyOf` for `signal` where that is among the expected ones. */
function withLabels(answer: { steps: Record_[] }, expected: { steps: Record_[] }): { steps: Record_[] } {
  return {
    steps: answer.steps.map((step, index) => {
      const wanted = (expected.steps[index]?.evicted ?? []) as { signalAnyOf?: readonly string[] }[];
      const evicted = (step.evicted as Record_[]).map(({ signal, ...rest }, position) => {
        const any = wanted[position]?.signalAnyOf;
        return { ...rest, signalAnyOf: any?.includes(signal as string) ? any : [signal] };
      });
      return { ...step, evicted };
    }),
  };
}

/** The plugin's own rounds on the statistics of the vectors. */
class Run {
  readonly #pods: readonly Pod[];
  readonly #gone = new Set<string>();
  readonly #manager: EvictionManager;
  #now = 0;
  #step: RawStep = { at: 0, active: [] };
  #node: NodeStatistics = {};
  #podStats: readonly PodStatistics[] = [];
  #done: { evicted: Record_[]; nodeEvents: string[]; reclaim: string[] } = { evicted: [], nodeEvents: [], reclaim: [] };

  constructor(private readonly input: Input) {
    this.#pods = toPods(input.pods);
    const { config } = input;
    only(
      "config",
      config,
      "enforceNodeAllocatable",
      "evictionHard",
      "evictionSoft",
      "evictionSoftGracePeriod",
      "evictionMinimumReclaim",
      "evictionPressureTransitionPeriod",
      "evictionMaxPodGracePeriod",
      "localStorageCapacityIsolation",
    );
    this.#manager = new EvictionManager(
      {
        thresholds: parseThresholdConfig(config),
        localStorageCapacityIsolation: config.localStorageCapacityIsolation,
        pressureTransitionPeriodSeconds: parseGoDuration(config.evictionPressureTransitionPeriod),
        maxPodGracePeriodSeconds: config.evictionMaxPodGracePeriod,
        dryRun: false,
        ranking: kubelet,
        rankingName: "kubelet",
      },
      this.#ports(),
    );
  }

  async step(step: RawStep): Promise<Record_> {
    const flags = ["diskInfoError", "statsError", "statsErrorAfterReclaim", "gcErrors", "killErrors"];
    only("step", step, "at", "active", "node", "podStats", "nodeAfterReclaim", ...flags);
    this.#step = step;
    this.#now = step.at * 1000;
    if (step.node !== undefined) this.#node = checkedNode(step.node);
    if (step.podStats !== undefined) this.#podStats = step.podStats.map(checkedPodStatistics);
    this.#done = { evicted: [], nodeEvents: [], reclaim: [] };
    let evicted: readonly Pod[] = [];
    let failed = false;
    try {
      evicted = await this.#manager.synchronize();
    } catch {
      failed = true;
    }
    const { conditions } = this.#manager;
    const admissions = this.input.admission?.map((pod) => [pod.metadata?.name ?? "", admission(pod, conditions)]);
    return {
      conditions,
      ...this.#done,
      waitsForCleanup: evicted.length > 0,
      ...(failed ? { failed } : {}),
      ...(admissions === undefined ? {} : { admission: Object.fromEntries(admissions) }),
    };
  }

  #ports(): RoundPorts {
    return {
      monotonic: () => this.#now,
      activePods: () => {
        const active = new Set(this.#step.active);
        return this.#pods.filter(({ metadata }) => active.has(metadata.name) && !this.#gone.has(metadata.name));
      },
      layout: async () => {
        if (this.#step.diskInfoError) throw new Error("no disk info");
        return toLayout(this.input);
      },
      statistics: async () => this.#statistics(),
      reclaim: async (what) => {
        this.#done.reclaim.push(what);
        if (this.#step.gcErrors?.includes(what)) throw new Error(`${what}: failed`);
      },
      evict: async (eviction) => {
        const { name } = eviction.pod.metadata;
        this.#done.evicted.push(reported(eviction));
        if (this.#step.killErrors?.includes(name)) throw new Error("timeout waiting to kill pod");
        this.#gone.add(name);
      },
      observed: () => undefined,
      attempting: (resource) =>
        void this.#done.nodeEvents.push(`Warning EvictionThresholdMet Attempting to reclaim ${resource}`),
      rankedOn: () => undefined,
      unreaped: () => 0,
      note: () => undefined,
      strategyFailed: (text) => {
        throw new Error(text);
      },
    };
  }

  #statistics(): Statistics {
    const { statsError, statsErrorAfterReclaim, nodeAfterReclaim } = this.#step;
    const after = this.#done.reclaim.length > 0;
    if (after ? statsErrorAfterReclaim : statsError) throw new Error("no statistics");
    const node = after && nodeAfterReclaim !== undefined ? checkedNode(nodeAfterReclaim) : this.#node;
    const pods = this.#podStats;
    return { node, pods: async () => pods };
  }
}

function reported({ pod, signal, message, annotations, gracePeriodSeconds, disruption }: PodEviction): Record_ {
  const condition = { type: "DisruptionTarget", status: "True", reason: "TerminationByKubelet", message };
  return {
    pod: pod.metadata.name,
    gracePeriodSeconds,
    phase: "Failed",
    reason: "Evicted",
    message,
    ...(disruption ? { condition } : {}),
    ...(Object.keys(annotations).length === 0 ? {} : { annotations }),
    signal,
  };
}
