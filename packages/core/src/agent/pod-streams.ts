/** Streams into running pods: commands, and connections to their ports. */
import type { Pod } from "@hooklet/manifest";
import { notRunning, unsupported } from "@hooklet/utils";
import type { PodManager } from "../pod/life/manager.js";
import type { Runtime } from "../runtime/port.js";
import type { AgentApi, PodName } from "./api.js";
import { findContainer } from "./pod-names.js";

export interface StreamsParts {
  readonly manager: Pick<PodManager, "running" | "worker">;
  readonly runtime: Pick<Runtime, "name" | "exec" | "portForward" | "streamUrl">;
  readonly pod: (name: PodName) => Pod;
}

export function podStreams({
  manager,
  runtime,
  pod,
}: StreamsParts): Pick<AgentApi, "exec" | "portForward" | "streamUrl"> {
  const containerOf = (found: Pod, container: string | undefined): string => {
    const inside = findContainer(found, container);
    const running = manager.running({ podUid: found.metadata.uid, container: inside });
    if (running === undefined) throw notRunning(`container ${inside} of pod ${found.metadata.name}`);
    return running.containerId;
  };
  const sandboxOf = ({ metadata }: Pod): string => {
    const sandbox = manager.worker(metadata.uid)?.state.sandbox;
    if (sandbox?.kind !== "ready") throw notRunning(`pod ${metadata.name}`);
    return sandbox.id;
  };
  return {
    exec: async (name, container, options, output) => runtime.exec(containerOf(pod(name), container), options, output),
    portForward: async (name, port) => {
      const found = pod(name);
      if (runtime.portForward === undefined) {
        throw unsupported(
          `runtime ${runtime.name} cannot forward ports into pods`,
          "Connect to the pod's IP from the node.",
        );
      }
      return runtime.portForward(sandboxOf(found), port);
    },
    streamUrl: async (name, request) => {
      if (runtime.streamUrl === undefined) return undefined;
      const found = pod(name);
      if (request.kind === "portForward") return runtime.streamUrl({ ...request, sandboxId: sandboxOf(found) });
      const { container, ...rest } = request;
      return runtime.streamUrl({ ...rest, containerId: containerOf(found, container) });
    },
  };
}
