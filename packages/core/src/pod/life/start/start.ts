/** Brings one container up: image, plan (containerStart taps), create, start, afterStart, postStart. */

import type { Container } from "@hooklet/manifest";
import { errorText, millisecondsOf, type RankedSlots } from "@hooklet/utils";
import type { Logger } from "pino";
import { callLater } from "../../../hooks/call-later.js";
import type { ImageManager } from "../../../images/ensure-image.js";
import type { Runtime } from "../../../runtime/port.js";
import { startRank } from "../../start-order.js";
import type { ReportPort } from "../ending-steps.js";
import type { HandlerRunner } from "../handlers.js";
import { type ObservePorts, observation } from "../observe.js";
import type { PodNode } from "../pod-node.js";
import { type Created, type CreatePorts, create } from "./create-container.js";
import { containerType, type FailurePorts, failed, type StartContext, StartFailure } from "./failures.js";

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
