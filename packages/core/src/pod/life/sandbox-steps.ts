/** Makes the sandbox of one pod: volumes, what plugins want before it, the runtime's call. */

import { isRuntimeError, type Runtime, type SandboxConfig } from "@hooklet/cri-api";
import { allContainers } from "@hooklet/manifest";
import { type Clock, errorText, type Rank, type RankedSlots, type Turns } from "@hooklet/utils";
import type { GuardedBeforeSandbox } from "../../hooks/verdict.js";
import type { PodMetrics } from "../../metrics/pod-metrics.js";
import { emptySandboxPlan, SandboxPlanBuilder, type SandboxPlanResult } from "../../plan/sandbox-builder.js";
import type { EventRecorder } from "../../plugin/contract.js";
import { podDns } from "../spec/dns.js";
import { sandboxConfig } from "../spec/sandbox-config.js";
import { startRank } from "../start-order.js";
import type { PodEvent, PodState } from "../state.js";
import type { PodNode } from "./pod-node.js";
import type { PodVolumes } from "./volumes.js";

/** Milliseconds after which a pod whose volumes and plugins take longer leaves its turn to another one. */
const PREPARED_WITHIN = 200;

export interface SandboxPorts {
  /** Name of the source that wants the pod. */
  sourceOf(uid: string): string | undefined;
  readonly clock: Clock;
  readonly runtime: Runtime;
  readonly events: EventRecorder;
  readonly metrics: PodMetrics;
  readonly node: PodNode;
  readonly podLogsDir: string;
  /** Noted on the sandbox. */
  readonly rootDir: string;
  readonly startSlots: RankedSlots;
  /**
   * Asked for before a start slot: sandboxes leave some of those to the containers of other pods. What is made for a sandbox is
   * made in its turn: a crowd's directories and cgroups, all at first, would delay the first of its containers.
   */
  readonly sandboxSlots: RankedSlots;
  /** The preparation of each pod that is taken over begins in a turn of its own: the agent answers meanwhile. */
  readonly turns: Turns;
  readonly volumes: Pick<PodVolumes, "prepare" | "restore">;
}

export interface SandboxContext {
  readonly ports: SandboxPorts;
  readonly state: () => PodState;
  readonly dispatch: (event: PodEvent) => void;
  /** Aborted when the pod is to be stopped or the agent goes. */
  readonly signal: () => AbortSignal;
}

export class SandboxSteps {
  #plugins: readonly GuardedBeforeSandbox[] = [];
  #plan: SandboxPlanResult = emptySandboxPlan;
  #config: SandboxConfig | undefined;
  #isReported = false;

  constructor(private readonly context: SandboxContext) {}

  /** What plugins registered for the pod at its admission. */
  admitted(plugins: readonly GuardedBeforeSandbox[]): void {
    this.#plugins = plugins;
  }

  async create(attempt: number): Promise<void> {
    const { ports, state, dispatch, signal } = this.context;
    this.#reportWork();
    try {
      const rank = startRank(state().pod, "sandbox");
      const work = (leave: () => void): Promise<string | undefined> => this.#make(attempt, rank, leave);
      const id = await ports.sandboxSlots.run(rank, work, signal());
      if (id === undefined) return;
      const { ips } = await ports.runtime.sandboxStatus(id);
      dispatch({ type: "sandboxReady", id, attempt, ips, at: ports.clock.now() });
    } catch (error) {
      if (!signal().aborted) this.#failed(error);
    }
  }

  /** Undefined when its volumes cannot be had. */
  async #make(attempt: number, rank: Rank, leave: () => void): Promise<string | undefined> {
    const { ports, signal } = this.context;
    let left = false;
    const slow = ports.clock.schedule(PREPARED_WITHIN, () => {
      left = true;
      leave();
    });
    try {
      if (!(await this.#mounted())) return undefined;
      await this.#ask(attempt, false);
    } finally {
      slow.cancel();
    }
    const config = await this.config(attempt);
    const run = async (): Promise<string> => {
      ports.metrics.startedPods();
      const began = ports.clock.monotonic();
      const id = await ports.runtime.runSandbox(config, signal());
      ports.metrics.runSandbox(config.runtimeHandler, (ports.clock.monotonic() - began) / 1000);
      return id;
    };
    const inTurn = (): Promise<string> => ports.startSlots.run(rank, run, signal());
    return left ? ports.sandboxSlots.run(rank, inTurn, signal()) : inTurn();
  }

  async #mounted(): Promise<boolean> {
    const { ports, state, signal } = this.context;
    const { pod } = state();
    try {
      await ports.volumes.prepare(pod, signal());
      return true;
    } catch (error) {
      ports.events.pod(pod, "Warning", "FailedMount", errorText(error));
      this.#syncFailed(error);
      return false;
    }
  }

  /** The pod is taken over with its sandbox: plugins find again what they made for it, and fill its volumes again. */
  async prepare(attempt: number): Promise<void> {
    const { ports, state, dispatch, signal } = this.context;
    await ports.turns.next();
    try {
      await ports.volumes.restore(state().pod, signal());
    } catch (error) {
      if (signal().aborted) return;
      ports.events.pod(state().pod, "Warning", "FailedMount", errorText(error));
      this.#syncFailed(error);
      return;
    }
    try {
      await this.#ask(attempt, true);
      dispatch({ type: "sandboxPrepared" });
    } catch (error) {
      if (!signal().aborted) this.#failed(error);
    }
  }

  /** The sandbox's configuration, which goes along with each of its containers. */
  async config(attempt: number): Promise<SandboxConfig> {
    if (this.#config?.metadata.attempt === attempt) return this.#config;
    const { ports, state } = this.context;
    const { pod } = state();
    const { clusterDNS, clusterDomain } = ports.node;
    const resolvConf = await ports.node.resolvConf();
    const { dns, warning } = podDns(pod, { clusterDNS, clusterDomain, resolvConf });
    if (warning !== undefined) ports.node.missingClusterDNS(pod, warning);
    this.#config = sandboxConfig(pod, {
      attempt,
      podLogsDir: ports.podLogsDir,
      rootDir: ports.rootDir,
      clusterDomain,
      source: ports.sourceOf(pod.metadata.uid),
      dns,
      plan: this.#plan,
    });
    return this.#config;
  }

  async #ask(attempt: number, exists: boolean): Promise<void> {
    const { state, signal } = this.context;
    const builder = new SandboxPlanBuilder({ pod: state().pod, attempt, exists });
    for (const plugin of this.#plugins) {
      await plugin(builder, signal());
      signal().throwIfAborted();
    }
    this.#plan = builder.result();
    this.#config = undefined;
  }

  #reportWork(): void {
    const { ports, state } = this.context;
    if (this.#isReported) return;
    this.#isReported = true;
    ports.metrics.workerStart((ports.clock.now() - state().startTime) / 1000);
    ports.metrics.containersPerPod(allContainers(state().pod).length);
  }

  #failed(error: unknown): void {
    const { ports, state } = this.context;
    if (!isRuntimeError(error, "unavailable")) {
      ports.metrics.startedPodErrors();
      const text = `Failed to create pod sandbox: ${errorText(error)}`;
      ports.events.pod(state().pod, "Warning", "FailedCreatePodSandBox", text);
    }
    this.#syncFailed(error);
  }

  #syncFailed(error: unknown): void {
    const { ports, dispatch } = this.context;
    dispatch({ type: "syncFailed", message: errorText(error), now: ports.clock.monotonic() });
  }
}
