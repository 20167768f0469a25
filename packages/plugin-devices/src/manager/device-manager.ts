/**
 * The device manager: resources, allocations and connected plugins (pkg/kubelet/cm/devicemanager ManagerImpl). It decides through pure files
 * and talks to plugins through `Endpoint` only; it accesses no file and no socket.
 */

import { type Container, errorText, type Pod } from "@hooklet/core";
import type { HintProvider, ResourceHints } from "@hooklet/core/subsystem";
import { endpointNotFound, endpointStopped, nothingAllocated, preStartFailed } from "../allocation/messages.js";
import type { CheckpointData } from "../checkpoint/format.js";
import type { Device } from "../device/device.js";
import { changedHealth } from "../device/health.js";
import type { Capacity, Inventory } from "../device/inventory.js";
import type { PodDevices } from "../device/pod-devices.js";
import { type RunOptions, runOptions } from "../device/run-options.js";
import { Allocator } from "./allocator.js";
import { checkpointOf, DeviceState, restoreInto } from "./device-state.js";
import { containerHints, podHints } from "./hints.js";
import type { Endpoint, ManagerPorts } from "./ports.js";

export class DeviceManager implements Omit<HintProvider, "name" | "allocate"> {
  readonly #state = new DeviceState();
  readonly #allocator: Allocator;

  constructor(private readonly ports: ManagerPorts) {
    this.#allocator = new Allocator(this.#state, ports);
  }

  get inventory(): Inventory {
    return this.#state.inventory;
  }

  get records(): PodDevices {
    return this.#state.records;
  }

  get reusable() {
    return this.#state.reusable;
  }

  /** A plugin has registered the resource: it replaces an earlier one. */
  connected(resource: string, endpoint: Endpoint): void {
    const { endpoints, inventory } = this.#state;
    const before = endpoints.get(resource);
    endpoints.set(resource, endpoint);
    inventory.connected(resource);
    before?.stop();
  }

  /** The complete list of devices. Returns the ids that are new or whose health has changed. */
  reported(resource: string, devices: readonly Device[]): readonly string[] {
    const before = this.inventory.get(resource)?.byId ?? new Map<string, Device>();
    this.inventory.reported(resource, devices);
    return changedHealth(before, this.inventory.get(resource)?.byId ?? new Map());
  }

  /** The plugin of the resource is gone. `endpoint`: only if it is still that one. False: it was not. */
  disconnected(resource: string, endpoint?: Endpoint): boolean {
    const current = this.#state.endpoints.get(resource);
    if (current === undefined || (endpoint !== undefined && current !== endpoint)) return false;
    current.stop();
    this.inventory.disconnected(resource, this.ports.now());
    return true;
  }

  /** The resources that plugins have registered, or that pods still have devices of. */
  isDeviceResource(resource: string): boolean {
    return this.#state.isDeviceResource(resource);
  }

  /** What the node has now. Forgets what has been gone for too long. */
  capacity(): Capacity {
    const capacity = this.inventory.capacity(this.ports.now());
    for (const resource of capacity.removed) this.#state.endpoints.delete(resource);
    return capacity;
  }

  /** The NUMA nodes to take the container's devices from; undefined: any. */
  setAffinity(podUid: string, container: string, nodes: readonly number[] | undefined): void {
    this.#state.affinities.set(podUid, container, nodes);
  }

  /** Hints for one container; resources that no plugin has are left out. */
  containerHints(pod: Pod, container: Container): ReadonlyMap<string, ResourceHints> {
    this.collectGarbage();
    return containerHints(this.#state, pod, container, this.ports.machineNodes());
  }

  /** Hints for the pod as a whole. */
  podHints(pod: Pod): ReadonlyMap<string, ResourceHints> {
    this.collectGarbage();
    return podHints(this.#state, pod, this.ports.machineNodes());
  }

  /** Gives the container its devices, all resources or a rejection with the kubelet's text; allocator.ts. */
  allocate(pod: Pod, container: Container): Promise<void> {
    this.#state.pendingPod = pod.metadata.uid;
    return this.#allocator.allocate(pod, container);
  }

  /**
   * What the container gets at its start; undefined: nothing. Plugins that want to prepare devices do it now; devices
   * that were never recorded, as after a loss of the checkpoint, are allocated (ManagerImpl.GetDeviceRunContainerOptions).
   * Rejects with the kubelet's text.
   */
  async prepare(pod: Pod, container: Container): Promise<RunOptions | undefined> {
    const { uid } = pod.metadata;
    let isComplete = true;
    for (const [resource, count] of this.#state.requests(container)) {
      if (count === 0) continue;
      await this.#preStart(uid, container.name, resource);
      if (this.#state.records.get(uid, container.name, resource)?.response === undefined) isComplete = false;
    }
    if (!isComplete && new Set(this.ports.activePods()).has(uid)) await this.#allocator.complete(pod, container);
    return this.runOptions(uid, container.name);
  }

  runOptions(podUid: string, container: string): RunOptions | undefined {
    const responses = this.#state.records.ofContainer(podUid, container).map(({ response }) => response);
    return runOptions(responses.filter((response) => response !== undefined));
  }

  /** The pod's admission is over: from now on it counts only while it is active. */
  endAdmission(podUid: string): void {
    this.#state.endAdmission(podUid);
  }

  /** The pod is gone for good: its devices are free. False: it had none. */
  free(podUid: string): boolean {
    return this.#state.free(podUid);
  }

  /** The container's devices are free; it gets others at its next start. */
  release(podUid: string, container: string): void {
    this.records.deleteContainer(podUid, container);
  }

  /** What gives the pod's devices back as they are now: those of an admission that fails later. */
  undoPoint(podUid: string): () => boolean {
    const before = this.records.ofPod(podUid);
    const affinities = this.#state.affinities.ofPod(podUid);
    return () => {
      const changed = this.free(podUid) || before.length > 0;
      for (const allocation of before) this.records.insert(allocation);
      for (const [container, nodes] of affinities) this.setAffinity(podUid, container, nodes);
      return changed;
    };
  }

  /** Frees the devices of pods that are no longer there. False: there were none. */
  collectGarbage(): boolean {
    return this.#state.collectGarbage(this.ports);
  }

  /** What the checkpoint holds. */
  checkpoint(): CheckpointData {
    return checkpointOf(this.#state);
  }

  /** Takes over a checkpoint. Returns the entries left out, and why. */
  restore(data: CheckpointData): readonly string[] {
    return restoreInto(this.#state, data, this.ports.codec, this.ports.now());
  }

  /** The same state for a dry run: `endpointOf` makes what stands in for each plugin. */
  copy(ports: ManagerPorts, endpointOf: (endpoint: Endpoint) => Endpoint): DeviceManager {
    const copy = new DeviceManager(ports);
    copy.inventory.takeOver(this.inventory);
    for (const allocation of this.records.all()) copy.records.insert(allocation);
    for (const [resource, endpoint] of this.#state.endpoints) {
      copy.#state.endpoints.set(resource, endpointOf(endpoint));
    }
    return copy;
  }

  /** Ends all connections. */
  stop(): void {
    for (const endpoint of this.#state.endpoints.values()) endpoint.stop();
  }

  async #preStart(podUid: string, container: string, resource: string): Promise<void> {
    const { endpoints, inventory } = this.#state;
    const endpoint = endpoints.get(resource);
    if (endpoint === undefined) {
      // Known from the checkpoint: its plugin has not sent its options yet.
      if (inventory.get(resource)?.remembered === true) return;
      throw new Error(endpointNotFound(resource));
    }
    if (endpoint.options?.preStartRequired !== true) return;
    const ids = this.#state.ids(podUid, container, resource);
    if (ids === undefined) throw new Error(nothingAllocated(podUid, container, resource));
    try {
      if (this.#state.isStopped(resource)) throw new Error(endpointStopped(resource));
      await endpoint.preStartContainer(ids);
    } catch (error) {
      throw new Error(preStartFailed(errorText(error)), { cause: error });
    }
  }
}
