/** Takes all init and main containers of a pod away, so that they start anew in its sandbox (the kubelet's ContainersToReset). */
import { type Container, initContainers, mainContainers } from "@hooklet/manifest";
import type { Runtime } from "../../runtime/port.js";
import type { SharedLists } from "../../runtime/shared-lists.js";
import { callsForAll } from "../restart.js";
import type { PodEvent, PodState } from "../state.js";
import { type KillPorts, killContainer } from "./kill.js";
import type { PodNode } from "./node.js";

export interface ResetContext {
  readonly ports: KillPorts & {
    readonly runtime: Pick<Runtime, "removeContainer">;
    readonly lists: Pick<SharedLists, "of">;
    readonly node: Pick<PodNode, "ip">;
  };
  readonly state: () => PodState;
  readonly dispatch: (event: PodEvent) => void;
  readonly refresh: (containerId: string) => Promise<void>;
  readonly signal: () => AbortSignal;
}

/**
 * Those that called for it go last: as long as one of them is there it is not done, and whoever comes after an agent that died over it
 * begins again.
 */
export async function resetContainers({ ports, state, dispatch, refresh, signal }: ResetContext): Promise<undefined> {
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
