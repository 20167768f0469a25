/** Brings one container up: image, plan (containerStart taps), create, start, afterStart, postStart. */

import { type ContainerConfig, type Image, isRuntimeError, type Runtime } from "@hooklet/cri-api";
import type { Container } from "@hooklet/manifest";
import { errorText, millisecondsOf, type RankedSlots } from "@hooklet/utils";
import type { Logger } from "pino";
import { callLater } from "../../../hooks/call-later.js";
import type { ImageManager } from "../../../images/ensure-image.js";
import type { PlanResult } from "../../../plan/builder.js";
import type { EventRecorder } from "../../../plugin/contract.js";
import { tooLongToNote } from "../../spec/container-config.js";
import { startRank } from "../../start-order.js";
import type { ReportPort } from "../ending-steps.js";
import type { HandlerRunner } from "../handlers.js";
import { type ObservePorts, observation } from "../observe.js";
import type { PodNode } from "../pod-node.js";
import { containerType, type FailurePorts, failed, type StartContext, StartFailure } from "./failures.js";
import { baseConfig, type PlanPorts, planned, withPlan } from "./plan.js";

export interface StartPorts extends CreatePorts, RunPorts {
  readonly runtime: Runtime;
  readonly node: PodNode;
  readonly volumes: CreatePorts["volumes"] & RunPorts["volumes"];
  readonly images: Pick<ImageManager, "ensure" | "leases">;
}

/** Never rejects for what a container does wrong: that becomes its state. */
export async function startContainer(context: StartContext<StartPorts>, container: Container): Promise<void> {
  const { ports, dispatch } = context;
  dispatch({ type: "starting", container: container.name, now: ports.clock.monotonic() });
  try {
    await run(context, container, await prepare(context, container));
  } catch (error) {
    failed(context, container, error);
  }
}

/** Until the container exists only a lease tells that its image is needed. */
async function prepare(context: StartContext<StartPorts>, container: Container): Promise<Created> {
  const { images } = context.ports;
  const { runtimeHandler } = context.sandboxConfig;
  const release = await images.leases.hold(container.image ?? "");
  try {
    const image = await images.ensure(context.state().pod, container, runtimeHandler, context.signal);
    return await create(context, container, image);
  } finally {
    release();
  }
}

// Starts a created container: its first status, postStart, afterStart.

interface RunPorts extends FailurePorts, ObservePorts, ReportPort {
  readonly log: Logger;
  readonly runtime: Pick<Runtime, "startContainer" | "containerStatus" | "removeContainer" | "logFormat">;
  readonly handlers: HandlerRunner;
  readonly node: Pick<PodNode, "ip">;
  readonly startSlots: RankedSlots;
}

async function run(
  context: StartContext<RunPorts>,
  container: Container,
  { id, plan, attempt }: Created,
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
  // A container that crashes at once is published as started before it is published as crashed.
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

/** Whether the container continues: false when its postStart failed or the pod is to be stopped. */
async function postStart(
  { ports, state, dispatch, signal }: StartContext<RunPorts>,
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

/** Makes the container that is to be started. */
interface CreatePorts extends PlanPorts {
  readonly runtime: Pick<Runtime, "createContainer" | "listContainers" | "removeContainer" | "unenforced">;
  readonly events: EventRecorder;
  /** How many calls that make sandboxes and containers the runtime gets at the same moment. */
  readonly startSlots: RankedSlots;
}

interface Created {
  readonly id: string;
  readonly plan: PlanResult;
  readonly attempt: number;
}

async function create(context: StartContext<CreatePorts>, container: Container, image: Image): Promise<Created> {
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
  for (const what of ports.runtime.unenforced?.(full) ?? []) {
    ports.events.pod(pod, "Warning", "Unenforced", `Container ${container.name}: ${what}`, container.name);
  }
  for (const what of tooLongToNote(container)) {
    ports.events.pod(pod, "Warning", "TooLongToNote", `Container ${container.name}: ${what}`, container.name);
  }
  return { id, plan, attempt };
}

/**
 * A container of the same name and attempt exists already when the answer to its creation was lost with a restarted agent
 * or runtime. One that never started is created again; one that started is kept.
 */
async function createFresh(
  context: StartContext<CreatePorts>,
  sandboxId: string,
  config: ContainerConfig,
): Promise<string> {
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
