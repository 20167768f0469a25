/** The rounds of node-pressure eviction: reads statistics, decides with pure functions, evicts (pkg/kubelet/eviction). */
import { errorText, namespacedName, type Pod } from "@hooklet/core";
import { candidateOf } from "./candidates.js";
import { consideredRows } from "./considered.js";
import type { PodEviction } from "./evict.js";
import type { DiskLayout, ReclaimFunction } from "./layout.js";
import {
  type Asked,
  type Observations,
  observationsOf,
  type Statistics,
  type StatisticsByUid,
  statisticsByUid,
} from "./observations.js";
import type { ManagerSettings } from "./options.js";
import {
  type Action,
  actionFor,
  chooseVictim,
  type EvictionState,
  IMMEDIATE_GRACE_PERIOD_SECONDS,
  initialState,
  isRelieved,
  look,
  orderFor,
  withLayout,
} from "./round.js";
import { type PressureCondition, resourceOf, type StarvedResource } from "./signals.js";
import { hasStorageLimits, storageOffenders } from "./storage-limits.js";
import { type EvictionThreshold, isMadeByTheDead } from "./thresholds.js";

/** What a round needs of the node. */
export interface RoundPorts {
  /** Milliseconds; only differences count. */
  monotonic(): number;
  /** Not terminal, or still terminating, in the order in which they came. */
  activePods(): readonly Pod[];
  layout(): Promise<DiskLayout>;
  /** Read afresh. */
  statistics(): Promise<Statistics>;
  reclaim(what: ReclaimFunction): Promise<void>;
  /** Blocks until the pod is gone. A rejection is logged and counts as evicted, as in the kubelet. */
  evict(eviction: PodEviction): Promise<void>;
  /** Number of zombie processes of the machine's init: they count as processes and belong to no pod. */
  unreaped(): number;
  /** Called before any eviction of the round, with the updated conditions. */
  observed(state: EvictionState): void;
  /** A threshold is acted on. */
  attempting(resource: StarvedResource): void;
  /** The numbers on which pods are ranked, with the time they were taken at (milliseconds since the epoch). */
  rankedOn(signal: string, time: number): void;
  /** An error that did not stop the round; `error` is undefined for a plain remark. */
  note(text: string, error?: unknown): void;
  /** A custom strategy's answer was of no use. */
  strategyFailed(text: string): void;
}

/** What is known within one round. */
interface Seen {
  /** Of the pods. */
  readonly statistics: (what: Asked) => Promise<StatisticsByUid | undefined>;
  readonly state: EvictionState & Required<Pick<EvictionState, "layout">>;
  readonly pods: readonly Pod[];
  readonly observations: Observations;
  readonly actOn: readonly EvictionThreshold[];
}

export class EvictionManager {
  #state: EvictionState;
  #unreadable: string | undefined;

  constructor(
    private readonly settings: ManagerSettings,
    private readonly ports: RoundPorts,
  ) {
    this.#state = initialState(settings.thresholds);
  }

  get state(): EvictionState {
    return this.#state;
  }

  /** The node is under, by name. */
  get conditions(): readonly PressureCondition[] {
    return this.#state.conditions;
  }

  /** Why the last reading of the statistics gave none; undefined when it did. */
  get unreadable(): string | undefined {
    return this.#unreadable;
  }

  /**
   * One round. Returns the evicted pods, including those whose kill failed; the caller never runs two at a time.
   * @throws Error when the layout of the disks is unknown; nothing has changed then
   */
  async synchronize(): Promise<readonly Pod[]> {
    const { thresholds, localStorageCapacityIsolation: isolation } = this.settings;
    if (thresholds.length === 0 && !isolation) return [];
    const laidOut = withLayout(this.#state, this.#state.layout ?? (await this.ports.layout()));
    if (laidOut.replaced !== undefined) this.ports.note(laidOut.replaced);
    this.#state = laidOut.state;

    const pods = this.ports.activePods();
    const read = await this.#read();
    if (read === undefined) return [];
    const observations = observationsOf(read.node);
    const { state, actOn: crossed } = look({
      state: laidOut.state,
      thresholds: laidOut.thresholds,
      observations,
      pressureTransitionPeriodSeconds: this.settings.pressureTransitionPeriodSeconds,
      now: this.ports.monotonic(),
    });
    this.#state = state;
    this.ports.observed(state);
    const actOn = this.#ofTheLiving(crossed, observations);
    const seen: Seen = { statistics: (what) => this.#podStatistics(read, what), state, pods, observations, actOn };

    const offenders = isolation ? await this.#evictOffenders(seen) : [];
    if (offenders.length > 0) return offenders;
    const action = actionFor(actOn, state.layout);
    if (action === undefined) return [];
    this.ports.attempting(action.resource);
    if (await this.#reclaimed(action)) return [];
    return this.#evictOne(action, seen);
  }

  async #read(): Promise<Statistics | undefined> {
    try {
      const read = await this.ports.statistics();
      this.#unreadable = undefined;
      return read;
    } catch (error) {
      const why = errorText(error);
      // Every ten seconds the same would be no news.
      if (why !== this.#unreadable) this.ports.note("eviction manager: failed to get summary stats", error);
      this.#unreadable = why;
      return undefined;
    }
  }

  /** Undefined when they cannot be read: without statistics nothing is evicted. A single pod without statistics is evicted first, as in the kubelet. */
  async #podStatistics(read: Statistics, what: Asked): Promise<StatisticsByUid | undefined> {
    try {
      return statisticsByUid(await read.pods(what));
    } catch (error) {
      this.ports.note("eviction manager: failed to get statistics of the pods", error);
      return undefined;
    }
  }

  /** Without shortages that zombies alone cause: an eviction would not end them. */
  #ofTheLiving(crossed: readonly EvictionThreshold[], observations: Observations): readonly EvictionThreshold[] {
    if (!crossed.some(({ signal }) => resourceOf(signal) === "pids")) return crossed;
    const dead = this.ports.unreaped();
    const left = crossed.filter((threshold) => !isMadeByTheDead(threshold, observations, dead));
    if (left.length < crossed.length) {
      this.ports.note(`${dead} processes are dead and wait for the machine's init; without them there is no shortage`);
    }
    return left;
  }

  /** Dead containers and unused images first. True when that was enough for every threshold. */
  async #reclaimed({ reclaim, resource }: Action): Promise<boolean> {
    if (reclaim.length === 0) return false;
    for (const what of reclaim) {
      try {
        await this.ports.reclaim(what);
      } catch (error) {
        this.ports.note(`unexpected error when attempting to reduce ${resource} pressure`, error);
      }
    }
    const read = await this.#read();
    return read !== undefined && isRelieved(this.#state.thresholds, observationsOf(read.node));
  }

  async #evictOffenders({ pods, statistics, state }: Seen): Promise<readonly Pod[]> {
    const limited = this.#each(pods, (pod) => (hasStorageLimits(pod) ? [pod] : []));
    const known = limited.length === 0 ? undefined : await statistics("limits");
    const offenders =
      known === undefined ? [] : this.#each(limited, (pod) => storageOffenders([pod], known, state.layout));
    const evictions = offenders.map((offender) =>
      this.#evict({
        ...offender,
        annotations: {},
        gracePeriodSeconds: IMMEDIATE_GRACE_PERIOD_SECONDS,
        disruption: false,
        considered: [],
      }),
    );
    await Promise.all(evictions);
    return this.settings.dryRun ? [] : offenders.map(({ pod }) => pod);
  }

  async #evictOne(action: Action, seen: Seen): Promise<readonly Pod[]> {
    const { observations, actOn, state } = seen;
    if (seen.pods.length === 0) {
      this.ports.note("eviction thresholds have been met, but no pods are active to evict");
      return [];
    }
    const { ranking, rankingName, maxPodGracePeriodSeconds } = this.settings;
    const { signal, resource } = action;
    const statistics = await seen.statistics(resource);
    if (statistics === undefined) return [];
    const pods = this.#each(seen.pods, (pod) => {
      candidateOf(signal, pod, statistics.get(pod.metadata.uid), state.layout);
      return [pod];
    });
    const choice = chooseVictim({ signal, pods, statistics, layout: state.layout, ranking, rankingName });
    if (choice.failure !== undefined) this.ports.strategyFailed(choice.failure);
    for (const { signal: acted } of actOn) {
      const time = observations.get(acted)?.time;
      if (time !== undefined) this.ports.rankedOn(acted, time);
    }
    if (choice.victim === undefined) {
      this.ports.note("unable to evict any pods from the node");
      return [];
    }
    const order = orderFor(choice.victim, action, actOn, { observations, statistics }, maxPodGracePeriodSeconds);
    const considered = consideredRows(resource, choice, pods);
    await this.#evict({ pod: choice.victim.pod, signal, ...order, disruption: true, considered });
    return this.settings.dryRun ? [] : [choice.victim.pod];
  }

  /** A pod that cannot be read is left out; the others can still be evicted. */
  #each<Found>(pods: readonly Pod[], look: (pod: Pod) => readonly Found[]): readonly Found[] {
    return pods.flatMap((pod) => {
      try {
        return look(pod);
      } catch (error) {
        this.ports.note(
          `eviction manager: pod ${namespacedName(pod.metadata)} is left out: ${errorText(error)}`,
          error,
        );
        return [];
      }
    });
  }

  async #evict(eviction: PodEviction): Promise<void> {
    try {
      await this.ports.evict(eviction);
    } catch (error) {
      this.ports.note(`pod ${namespacedName(eviction.pod.metadata)} failed to evict: ${errorText(error)}`, error);
    }
  }
}
