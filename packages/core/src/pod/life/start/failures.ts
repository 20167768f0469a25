/** What becomes of a start that failed. */

import { isRuntimeError, type SandboxConfig } from "@hooklet/cri-api";
import { type Container, initContainers } from "@hooklet/manifest";
import { backOffRule, type Clock, errorText } from "@hooklet/utils";
import { ImageError } from "../../../images/ensure-image.js";
import type { PodMetrics } from "../../../metrics/pod-metrics.js";
import type { EventRecorder } from "../../../plugin/contract.js";
import type { PodEvent, PodState } from "../../state.js";

/** What all parts of a container's start share. */
export interface StartContext<Ports> {
  readonly ports: Ports;
  readonly state: () => PodState;
  readonly dispatch: (event: PodEvent) => void;
  readonly sandboxConfig: SandboxConfig;
  /** Aborted when the pod is to be stopped. */
  readonly signal: AbortSignal;
}

/** How soon a start that failed before the container ran is tried again, milliseconds: the kubelet's next sync. */
const RETRY = 10_000;
/** Milliseconds until a retry while the runtime is unavailable; the container itself is not at fault. */
const UNAVAILABLE_RETRY = 1_000;

export interface FailurePorts {
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly metrics: PodMetrics;
}

/** A failure whose waiting reason is known. */
export class StartFailure extends Error {
  constructor(
    readonly reason: "CreateContainerConfigError" | "CreateContainerError" | "PreCreateHookError" | "RunContainerError",
    cause: unknown,
  ) {
    super(errorText(cause), { cause });
  }
}

export function failed(
  { ports, dispatch, state, signal }: StartContext<FailurePorts>,
  container: Container,
  error: unknown,
): void {
  const now = ports.clock.monotonic();
  const name = container.name;
  if (signal.aborted || isRuntimeError(error, "unavailable") || isRuntimeError((error as Error).cause, "unavailable")) {
    const shown = { reason: "ContainerCreating", message: "" };
    dispatch({ type: "startFailed", container: name, ...shown, notBefore: now + UNAVAILABLE_RETRY });
    return;
  }
  const known = error instanceof ImageError || error instanceof StartFailure;
  const reason = known ? error.reason : "CreateContainerError";
  const message = errorText(error);
  const notBefore = error instanceof ImageError ? error.notBefore : now + retryDelay(state(), name, reason);
  const { pod } = state();
  ports.metrics.startedContainerError(containerType(state(), container), reason);
  ports.events.pod(pod, "Warning", "Failed", `Error: ${error instanceof ImageError ? reason : message}`, name);
  dispatch({ type: "startFailed", container: name, reason, message, notBefore });
}

/** A failing plugin is retried with growing back-off; everything else at the pace of the kubelet's syncs. */
function retryDelay(state: PodState, container: string, reason: string): number {
  const current = state.containers[container];
  if (reason !== "PreCreateHookError" || current?.kind !== "starting") return RETRY;
  return Math.min(backOffRule.max, RETRY * 2 ** (current.failures ?? 0));
}

export function containerType(state: PodState, container: Container): "container" | "init_container" {
  return initContainers(state.pod).includes(container) ? "init_container" : "container";
}
