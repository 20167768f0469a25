/** What is done for a container's devices before each of its starts (ManagerImpl.GetDeviceRunContainerOptions). */
import { type Container, errorText, type Pod } from "@hooklet/core";
import { endpointNotFound, endpointStopped, nothingAllocated, preStartFailed } from "../allocation/messages.js";
import { type RunOptions, runOptions } from "../device/run-options.js";
import type { DeviceState } from "./device-state.js";
import type { ManagerPorts } from "./ports.js";

export class Preparation {
  constructor(
    private readonly state: DeviceState,
    private readonly ports: Pick<ManagerPorts, "activePods">,
    /** Asks the plugins for what was never recorded. */
    private readonly complete: (pod: Pod, container: Container) => Promise<void>,
  ) {}

  /**
   * What the container gets at its start; undefined: nothing. Plugins that want to prepare devices do it now; devices
   * that were never recorded, as after a loss of the checkpoint, are allocated. Rejects with the kubelet's text.
   */
  async prepare(pod: Pod, container: Container): Promise<RunOptions | undefined> {
    const { uid } = pod.metadata;
    let isComplete = true;
    for (const [resource, count] of this.state.requests(container)) {
      if (count === 0) continue;
      await this.#preStart(uid, container.name, resource);
      if (this.state.records.get(uid, container.name, resource)?.response === undefined) isComplete = false;
    }
    if (!isComplete && new Set(this.ports.activePods()).has(uid)) await this.complete(pod, container);
    return this.runOptions(uid, container.name);
  }

  runOptions(podUid: string, container: string): RunOptions | undefined {
    const responses = this.state.records.ofContainer(podUid, container).map(({ response }) => response);
    return runOptions(responses.filter((response) => response !== undefined));
  }

  async #preStart(podUid: string, container: string, resource: string): Promise<void> {
    const { endpoints, inventory } = this.state;
    const endpoint = endpoints.get(resource);
    if (endpoint === undefined) {
      // Known from the checkpoint: its plugin has not sent its options yet.
      if (inventory.get(resource)?.remembered === true) return;
      throw new Error(endpointNotFound(resource));
    }
    if (endpoint.options?.preStartRequired !== true) return;
    const ids = this.state.ids(podUid, container, resource);
    if (ids === undefined) throw new Error(nothingAllocated(podUid, container, resource));
    try {
      if (this.state.isStopped(resource)) throw new Error(endpointStopped(resource));
      await endpoint.preStartContainer(ids);
    } catch (error) {
      throw new Error(preStartFailed(errorText(error)), { cause: error });
    }
  }
}
