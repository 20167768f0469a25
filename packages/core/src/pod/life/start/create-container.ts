/** Makes the container that is to be started. */

import type { Container } from "@hooklet/manifest";
import type { RankedSlots } from "@hooklet/utils";
import type { PlanResult } from "../../../plan/builder.js";
import type { EventRecorder } from "../../../plugin/contract.js";
import { isRuntimeError } from "../../../runtime/errors.js";
import type { ContainerConfig, Image, Runtime } from "../../../runtime/port.js";
import { tooLongToNote } from "../../spec/container-config.js";
import { startRank } from "../../start-order.js";
import { type StartContext, StartFailure } from "./failures.js";
import { baseConfig, type PlanPorts, planned, withPlan } from "./plan.js";

export interface CreatePorts extends PlanPorts {
  readonly runtime: Pick<Runtime, "createContainer" | "listContainers" | "removeContainer" | "unenforced">;
  readonly events: EventRecorder;
  /** How many calls that make sandboxes and containers the runtime gets at the same moment. */
  readonly startSlots: RankedSlots;
}

export interface Created {
  readonly id: string;
  readonly plan: PlanResult;
  readonly attempt: number;
}

export async function create(context: StartContext<CreatePorts>, container: Container, image: Image): Promise<Created> {
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
