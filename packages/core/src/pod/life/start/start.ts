/** Brings one container up: image, plan (containerStart taps), create, start, afterStart, postStart. */

import type { Container } from "@hooklet/manifest";
import type { ImageManager } from "../../../images/ensure-image.js";
import type { Runtime } from "../../../runtime/port.js";
import type { PodNode } from "../node.js";
import type { StartContext } from "./context.js";
import { type Created, type CreatePorts, create } from "./create.js";
import { failed } from "./failures.js";
import { type RunPorts, run } from "./run.js";

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
