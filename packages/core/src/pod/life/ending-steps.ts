/** Stops one pod and removes what is left of it. */

import { isRuntimeError, type PodObjects, type Runtime, type SharedLists } from "@hooklet/cri-api";
import { removeTree } from "@hooklet/linux";
import type { Pod } from "@hooklet/manifest";
import { errorText } from "@hooklet/utils";
import type { NodeHooks } from "../../hooks/hooks.js";
import type { TerminationCause } from "../../hooks/termination.js";
import type { ImageManager } from "../../images/ensure-image.js";
import type { PodMetrics } from "../../metrics/pod-metrics.js";
import { podLogDirectory } from "../spec/sandbox-config.js";
import type { PodEvent, PodState } from "../state.js";
import type { Ending } from "../status/termination-progress.js";
import { type AfterStop, announce, type StopPorts, stopAll } from "./terminate.js";
import type { PodVolumes } from "./volumes.js";

export interface EndingPorts extends StopPorts, RemovePorts, ReportPort {
  readonly hooks: Pick<NodeHooks, "podTerminate">;
  readonly metrics: PodMetrics;
  /** Keeps a cause over a restart of the agent; resolves once it is on disk. */
  remember(uid: string, cause: TerminationCause): Promise<void>;
}

export interface ReportPort {
  /** Reports a failure in the background. */
  report(where: string, error: unknown): void;
}

interface EndingContext {
  readonly ports: EndingPorts;
  readonly state: () => PodState;
  readonly dispatch: (event: PodEvent) => void;
  readonly refresh: (containerId: string) => Promise<void>;
  /** Resolves once the grace period of the pod that is being stopped is shortened. */
  readonly shortened: () => Promise<"shortened">;
}

/** Milliseconds between two tries to stop what would not stop. */
const STOP_RETRY = 10_000;
const UNAVAILABLE_RETRY = 1_000;

export class EndingSteps {
  #afterStop: readonly AfterStop[] | undefined;
  #leftovers: PodObjects | undefined;
  #at: Ending | undefined;

  constructor(private readonly context: EndingContext) {}

  /** How far it has come; undefined: it has not begun. */
  get at(): Ending | undefined {
    return this.#at;
  }

  /** `cut`: a sandbox or a container was being made when the pod was to stop, and may still appear. */
  async stop(cut: boolean): Promise<number | undefined> {
    const { ports, state, dispatch, refresh } = this.context;
    const { life, pod } = state();
    if (life.kind !== "terminating") return;
    const { cause } = life;
    const began = ports.clock.monotonic();
    const termination = { state: state(), cause, gone: refresh };
    if (cause.kind === "deadline" || (cause.kind === "evicted" && cause.lasting !== false)) {
      await ports.remember(pod.metadata.uid, cause);
    }
    if (this.#afterStop === undefined) this.#at = { step: "taps" };
    this.#afterStop ??= await announce(ports, termination);
    this.#at = { ...this.#at, step: "containers" };
    try {
      const found = await Promise.race([stopAll(ports, termination), this.context.shortened()]);
      // The stop under way continues; a stop with less time is sent again, and that one counts.
      if (found === "shortened") return;
      this.#leftovers = cut ? undefined : found;
    } catch (error) {
      this.#at = { step: "containers", failure: errorText(error) };
      if (isUnavailable(error)) return UNAVAILABLE_RETRY;
      ports.events.pod(pod, "Warning", "FailedKillPod", `error killing pod: ${errorText(error)}`);
      return STOP_RETRY;
    }
    this.#at = { step: "afterStop" };
    await callAll(ports, "afterStop of podTerminate", this.#afterStop);
    this.#at = { step: "volumes" };
    await callAll(ports, `emptyDirs of pod ${pod.metadata.name}`, [() => ports.volumes.clear(pod)]);
    ports.metrics.sync("kill", (ports.clock.monotonic() - began) / 1000);
    dispatch({ type: "stopped" });
  }

  async remove(): Promise<number | undefined> {
    const { ports, state, dispatch } = this.context;
    const { pod } = state();
    this.#at = { ...(this.#at?.step === "removal" && this.#at), step: "removal" };
    try {
      await removePod(ports, pod, this.#leftovers);
    } catch (error) {
      this.#leftovers = undefined;
      this.#at = { step: "removal", failure: errorText(error) };
      ports.log.warn({ pod: pod.metadata.name }, `removing what is left of the pod failed: ${errorText(error)}`);
      return isUnavailable(error) ? UNAVAILABLE_RETRY : STOP_RETRY;
    }
    dispatch({ type: "removed" });
  }
}

/** Calls the callbacks that plugins registered; one that fails is reported, and the others still run. */
export async function callAll(
  ports: ReportPort,
  what: string,
  calls: readonly (() => void | Promise<void>)[],
): Promise<void> {
  for (const call of calls) {
    try {
      await call();
    } catch (error) {
      ports.report(what, error);
    }
  }
}

function isUnavailable(error: unknown): boolean {
  if (error instanceof AggregateError) return error.errors.every(isUnavailable);
  return isRuntimeError(error, "unavailable");
}

// Removes what a pod leaves behind. Dead containers of running pods are left to container garbage collection, a plugin.

interface RemovePorts {
  readonly runtime: Runtime;
  readonly lists: Pick<SharedLists, "of">;
  readonly volumes: Pick<PodVolumes, "remove" | "clear">;
  readonly images: Pick<ImageManager, "forget">;
  readonly podLogsDir: string;
}

/** All of a pod that is stopped: containers, sandboxes, volumes, logs. `known`: what it has, default: ask. May be repeated. */
async function removePod(ports: RemovePorts, pod: Pod, known?: PodObjects): Promise<void> {
  const { runtime } = ports;
  const { uid } = pod.metadata;
  const { containers, sandboxes } = known ?? (await ports.lists.of(uid));
  const inside = new Set(sandboxes.map(({ id }) => id));
  for (const { id, sandboxId } of containers) if (!inside.has(sandboxId)) await runtime.removeContainer(id);
  for (const { id } of sandboxes) await runtime.removeSandbox(id);
  await ports.volumes.remove(pod);
  await removeTree(podLogDirectory(ports.podLogsDir, pod));
  ports.images.forget(uid);
}
