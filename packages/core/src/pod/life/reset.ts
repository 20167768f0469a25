/** Takes all init and main containers of a pod away, so that they start anew in its sandbox (the kubelet's ContainersToReset). */
import { type Container, initContainers, mainContainers } from "@hooklet/manifest";
import { callsForAll } from "../restart.js";
import type { PodState } from "../state.js";
import { killContainer } from "./kill.js";
import type { StepContext } from "./steps.js";

/**
 * Those that called for it go last: as long as one of them is there it is not done, and whoever comes after an agent that died over it
 * begins again.
 */
export async function resetContainers(context: StepContext): Promise<undefined> {
  const { ports, state, dispatch, refresh, signal } = context;
  const { pod, sandbox } = state();
  const { containers } = await ports.lists.of(pod.metadata.uid);
  const podIp = (sandbox.kind === "ready" ? sandbox.ips[0] : undefined) ?? ports.node.ip;
  for (const container of order(state())) {
    for (const { id: containerId, metadata, ...found } of containers) {
      if (metadata.name !== container.name) continue;
      if (signal().aborted) return;
      if (found.state === "CONTAINER_RUNNING" || found.state === "CONTAINER_UNKNOWN") {
        await killContainer(ports, { pod, container, containerId, podIp, message: "killing", gracePeriodSeconds: 0 });
        await refresh(containerId);
      }
      await ports.runtime.removeContainer(containerId);
    }
  }
  dispatch({ type: "containersReset" });
}

function order(state: PodState): readonly Container[] {
  const all = [...mainContainers(state.pod), ...initContainers(state.pod)];
  return [...all.filter((one) => !callsForAll(state, one)), ...all.filter((one) => callsForAll(state, one))];
}
