/** Brings one container up: image, plan (containerStart taps), create, start, afterStart, postStart. */

import { type Container, initContainers, isSidecar } from "@hooklet/manifest";
import { errorText } from "../../errors.js";
import { callLater } from "../../hooks/call-later.js";
import { ImageError } from "../../images/ensure-image.js";
import { millisecondsOf } from "../../lib/time.js";
import { ContainerPlanBuilder, type PlanResult } from "../../plan/builder.js";
import { isRuntimeError } from "../../runtime/errors.js";
import type { ContainerConfig, Image, SandboxConfig } from "../../runtime/port.js";
import { backOffRule } from "../backoff.js";
import { containerConfig } from "../spec/container-config.js";
import { containerEnv } from "../spec/env.js";
import { hostsFile, podHostname } from "../spec/hosts-file.js";
import { verifyRunAsNonRoot } from "../spec/run-as.js";
import { startRank } from "../start-order.js";
import type { PodEvent, PodState } from "../state.js";
import { observation } from "./observe.js";
import type { PodLifePorts } from "./ports.js";

/** How soon a start that failed before the container ran is tried again, milliseconds: the kubelet's next sync. */
const RETRY = 10_000;
/** While the runtime is away nothing is wrong with the container. */
const UNAVAILABLE_RETRY = 1_000;
/** Annotation by which the back-off survives a restart of the agent (own; absent on first starts). */
export const BACK_OFF_ANNOTATION = "hooklet.dev/back-off-seconds";

export type StartPorts = Pick<
  PodLifePorts,
  | "clock"
  | "log"
  | "runtime"
  | "hooks"
  | "events"
  | "metrics"
  | "images"
  | "handlers"
  | "values"
  | "volumes"
  | "node"
  | "startSlots"
  | "values"
  | "report"
>;

export interface StartContext {
  readonly ports: StartPorts;
  readonly state: () => PodState;
  readonly dispatch: (event: PodEvent) => void;
  readonly sandboxConfig: SandboxConfig;
  /** Aborted when the pod is to be stopped. */
  readonly signal: AbortSignal;
}

/** A failure whose waiting reason is known. */
class StartFailure extends Error {
  constructor(
    readonly reason: "CreateContainerConfigError" | "CreateContainerError" | "PreCreateHookError" | "RunContainerError",
    cause: unknown,
  ) {
    super(errorText(cause), { cause });
  }
}

/** Never rejects for what a container does wrong: that becomes its state. */
export async function startContainer(context: StartContext, container: Container): Promise<void> {
  const { ports, dispatch } = context;
  dispatch({ type: "starting", container: container.name, now: ports.clock.monotonic() });
  try {
    const { id, plan, attempt } = await prepare(context, container);
    await run(context, container, id, plan, attempt);
  } catch (error) {
    failed(context, container, error);
  }
}

/** Until the container exists only a lease tells that its image is needed. */
async function prepare(context: StartContext, container: Container): Promise<Created> {
  const { images } = context.ports;
  const release = await images.leases.hold(container.image ?? "");
  try {
    const image = await images.ensure(context.state().pod, container, context.signal);
    return await create(context, container, image);
  } finally {
    release();
  }
}

function failed({ ports, dispatch, state, signal }: StartContext, container: Container, error: unknown): void {
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

/** A plugin that fails is asked ever less often; everything else is tried at the pace of the kubelet's syncs. */
function retryDelay(state: PodState, container: string, reason: string): number {
  const current = state.containers[container];
  if (reason !== "PreCreateHookError" || current?.kind !== "starting") return RETRY;
  return Math.min(backOffRule.max, RETRY * 2 ** (current.failures ?? 0));
}

interface Created {
  readonly id: string;
  readonly plan: PlanResult;
  readonly attempt: number;
}

async function create(context: StartContext, container: Container, image: Image): Promise<Created> {
  const { ports, state, dispatch, signal } = context;
  const { pod, sandbox } = state();
  if (sandbox.kind !== "ready") throw new StartFailure("CreateContainerError", new Error("the pod has no sandbox"));
  const current = state().containers[container.name];
  const attempt = current?.kind === "starting" ? current.attempt : 0;
  const config = await baseConfig(context, container, image, attempt, sandbox.ips).catch((error: unknown) => {
    throw new StartFailure("CreateContainerConfigError", error);
  });
  const plan = await planned(context, container, config, attempt);
  dispatch({ type: "gate", container: container.name, gate: { ready: !plan.holdReady, started: !plan.holdStarted } });
  signal.throwIfAborted();
  const full = withPlan(config, plan);
  const id = await createFresh(context, sandbox.id, full).catch((error: unknown) => {
    throw new StartFailure("CreateContainerError", error);
  });
  ports.events.pod(pod, "Normal", "Created", `Created container: ${container.name}`, container.name);
  return { id, plan, attempt };
}

async function baseConfig(
  { ports, state, signal }: StartContext,
  container: Container,
  image: Image,
  attempt: number,
  ips: readonly string[],
): Promise<ContainerConfig> {
  const { pod } = state();
  const { node, volumes } = ports;
  verifyRunAsNonRoot(pod, container, image);
  await volumes.restore(pod, signal);
  const podIps = ips.length > 0 ? ips : [node.ip];
  const env = containerEnv(pod, container, {
    nodeName: node.name,
    hostIp: node.ip,
    podIps,
    allocatable: node.allocatable(),
    values: await ports.values.of(pod, container, signal),
  });
  const mounts = [...(await volumes.mounts(pod, container, env))];
  const taken = new Set(mounts.map((mount) => mount.containerPath));
  if (!taken.has("/etc/hosts")) {
    const text = hostsFile(pod, podHostname(pod), podIps, pod.spec.hostNetwork === true ? await node.hosts() : "");
    mounts.push(await volumes.hostsMount(pod, text));
  }
  const log = await volumes.terminationLogMount(pod, container, attempt);
  if (log !== undefined && !taken.has(log.containerPath)) mounts.push(log);
  const config = containerConfig(pod, container, { attempt, image, env, mounts });
  const backOff = state().backOffs[container.name];
  if (backOff === undefined) return config;
  return { ...config, annotations: { ...config.annotations, [BACK_OFF_ANNOTATION]: String(backOff.window / 1000) } };
}

async function planned(
  { ports, state, signal }: StartContext,
  container: Container,
  config: ContainerConfig,
  restartCount: number,
): Promise<PlanResult> {
  const { pod } = state();
  const kind = !initContainers(pod).includes(container) ? "main" : isSidecar(container) ? "sidecar" : "init";
  const { envs, mounts, devices, annotations } = config;
  const builder = new ContainerPlanBuilder({ envs, mounts, devices, annotations, resources: config.linux.resources });
  try {
    await ports.hooks.containerStart.promise(builder, { pod, container, kind, restartCount, signal });
  } catch (error) {
    throw new StartFailure("PreCreateHookError", error);
  }
  return builder.result();
}

function withPlan(config: ContainerConfig, plan: PlanResult): ContainerConfig {
  const { envs, mounts, devices, cdiDevices, annotations, resources } = plan;
  return { ...config, envs, mounts, devices, cdiDevices, annotations, linux: { ...config.linux, resources } };
}

/**
 * A container of the same name and attempt is there already when the answer to its creation was lost, with an agent that died
 * or a runtime that was restarted: one that was never started is made anew, one that was is taken as it is.
 */
async function createFresh(context: StartContext, sandboxId: string, config: ContainerConfig): Promise<string> {
  const { runtime } = context.ports;
  const make = (): Promise<string> =>
    context.ports.startSlots.run(
      startRank(context.state().pod, "create"),
      () => runtime.createContainer(sandboxId, config, context.sandboxConfig, context.signal),
      context.signal,
    );
  try {
    return await make();
  } catch (error) {
    if (!isRuntimeError(error, "already-exists")) throw error;
    const { name, attempt } = config.metadata;
    const found = (await runtime.listContainers({ sandboxId })).find(
      ({ metadata }) => metadata.name === name && metadata.attempt === attempt,
    );
    if (found === undefined) throw error;
    if (found.state !== "CONTAINER_CREATED") return found.id;
    await runtime.removeContainer(found.id);
    return make();
  }
}

async function run(
  context: StartContext,
  container: Container,
  id: string,
  plan: PlanResult,
  attempt: number,
): Promise<void> {
  const { ports, state, dispatch, sandboxConfig } = context;
  const { pod } = state();
  const { name } = container;
  const problem = await ports.startSlots
    .run(startRank(pod, "start"), () => ports.runtime.startContainer(id))
    .then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
  const tellStarted = (): void => {
    ports.metrics.startedContainer(containerType(state(), container));
    ports.events.pod(pod, "Normal", "Started", `Started container ${name}`, name);
  };
  // One that crashes at once is told as started before it is told as crashed.
  if (problem === undefined) tellStarted();
  const status = await ports.runtime.containerStatus(id);
  const seen = await observation(ports, pod, status);
  if (problem !== undefined && seen?.kind === "exited") {
    ports.metrics.startedContainerError(containerType(state(), container), "RunContainerError");
    ports.events.pod(pod, "Warning", "Failed", `Error: ${errorText(problem.error)}`, name);
  }
  if (seen !== undefined) dispatch({ type: "observed", container: name, observation: seen });
  // A start whose answer was lost before: it runs.
  if (problem !== undefined && seen?.kind !== "running") {
    if (seen?.kind !== "exited") {
      await ports.runtime.removeContainer(id);
      throw new StartFailure("RunContainerError", problem.error);
    }
    dispatch({ type: "failed", container: name, reason: "RunContainerError", message: errorText(problem.error) });
    return;
  }
  if (problem !== undefined) tellStarted();
  // Probes and the like begin after postStart, as in the kubelet.
  if (!(await postStart(context, container, id))) return;
  const startedAt = millisecondsOf(status.startedAt);
  const started = {
    podUid: sandboxConfig.metadata.uid,
    container: name,
    containerId: id,
    restartCount: attempt,
    startedAt,
  };
  for (const { plugin, run: after } of plan.afterStart) {
    const place = { plugin, hook: "containerStart", tap: plugin };
    await callLater(ports.clock, place, "afterStart", () => after(started)).catch((error: unknown) =>
      ports.report(`afterStart of ${plugin}`, error),
    );
  }
}

/** Whether the container goes on: false when its postStart failed or the pod is to be stopped. */
async function postStart(
  { ports, state, dispatch, signal }: StartContext,
  container: Container,
  id: string,
): Promise<boolean> {
  const handler = container.lifecycle?.postStart;
  if (handler === undefined) return true;
  const { pod, sandbox } = state();
  const podIp = (sandbox.kind === "ready" ? sandbox.ips[0] : undefined) ?? ports.node.ip;
  try {
    await ports.handlers.run(handler, { pod, container, containerId: id, podIp }, 0, signal);
    dispatch({ type: "postStartEnded", container: container.name });
    return true;
  } catch (error) {
    if (signal.aborted) {
      dispatch({ type: "postStartEnded", container: container.name });
      return false;
    }
    const message = errorText(error);
    ports.log.warn({ pod: pod.metadata.name, container: container.name }, `PostStart hook failed: ${message}`);
    ports.events.pod(pod, "Warning", "FailedPostStartHook", "PostStartHook failed", container.name);
    dispatch({ type: "killRequested", container: container.name, message: "FailedPostStartHook", id });
    dispatch({ type: "failed", container: container.name, reason: "PostStartHookError", message });
    return false;
  }
}

function containerType(state: PodState, container: Container): "container" | "init_container" {
  return initContainers(state.pod).includes(container) ? "init_container" : "container";
}
