/**
 * The device manager: what is there, who has what, who is connected (pkg/kubelet/cm/devicemanager ManagerImpl). It decides
 * through the pure files beside it and talks to plugins through `Endpoint` only; no file and no socket is touched here.
 */
import type { Container, Pod } from "@hooklet/core";
import { ReusableDevices } from "./allocation/reuse.js";
import { type SelectionInput, selectDevices } from "./allocation/select.js";
import type { AllocationInput, AllocationStrategy } from "./allocation/strategy.js";
import {
  endpointNotFound,
  endpointStopped,
  noContainersReturned,
  nothingAllocated,
  preferredFailed,
  preStartFailed,
  unknownPlugin,
} from "./allocation/words.js";
import type { CheckpointData, CheckpointEntry } from "./checkpoint/data.js";
import { changedHealth } from "./device/health.js";
import { type Capacity, Inventory } from "./device/inventory.js";
import { type Allocation, deviceIds, PodDevices, perNuma } from "./device/pod-devices.js";
import { containerDevices, isLeftToDra, podDeviceRequest } from "./device/requests.js";
import { type RunOptions, runOptions } from "./device/run-options.js";
import type { AllocateResponse, Device } from "./device/types.js";
import type { Endpoint } from "./endpoint.js";
import { type ResourceHints, resourceHints } from "./topology/hints.js";

export interface ManagerPorts {
  /** Monotonic milliseconds. */
  now(): number;
  /** All sources of pods have spoken once. */
  sourcesReady(): boolean;
  /** The runtime reported the container as running when the agent started. */
  wasRunning(podUid: string, container: string): boolean;
  /** Uids of the pods that hold resources of the node. */
  activePods(): Iterable<string>;
  /** All NUMA nodes of the machine, ascending. */
  machineNodes(): readonly number[];
  /** The gate DRAExtendedResource: resources that a pod's status maps to a claim are not ours. Default false. */
  readonly draExtendedResource?: boolean;
  readonly strategy: AllocationStrategy;
  readonly codec: ResponseCodec;
  /** The records or the resources have changed: the checkpoint is due. Awaited before a container is told to have devices. */
  save(): void | Promise<void>;
  /** One `Allocate` has been answered, or failed. */
  allocated?(resource: string, milliseconds: number): void;
  /** A choice was made. */
  chosen?(choice: Choice): void;
}

/** ContainerAllocateResponse as protobuf in base64. */
export interface ResponseCodec {
  encode(response: AllocateResponse): string;
  /** @throws Error when it is none */
  decode(encoded: string): AllocateResponse;
}

export interface Choice {
  readonly input: AllocationInput;
  readonly ids: readonly string[];
  /** What was wrong with the strategy's own answer: the ids are the kubelet's then. */
  readonly violation: string | undefined;
}

export class DeviceManager {
  readonly inventory = new Inventory();
  readonly records = new PodDevices();
  readonly reusable = new ReusableDevices();
  readonly #endpoints = new Map<string, Endpoint>();
  /** NUMA nodes chosen by the topology manager: pod uid -> container. */
  readonly #affinities = new Map<string, Map<string, readonly number[]>>();
  /** Devices chosen and not yet recorded, while their plugin is asked. */
  readonly #reserved = new Map<string, ReadonlySet<string>>();
  #pendingPod: string | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(private readonly ports: ManagerPorts) {}

  /** A plugin has registered the resource: it takes the place of any that was there before. */
  connected(resource: string, endpoint: Endpoint): void {
    const before = this.#endpoints.get(resource);
    this.#endpoints.set(resource, endpoint);
    this.inventory.connected(resource);
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
    const current = this.#endpoints.get(resource);
    if (current === undefined || (endpoint !== undefined && current !== endpoint)) return false;
    current.stop();
    this.inventory.disconnected(resource, this.ports.now());
    return true;
  }

  /** The resources that plugins have registered, or that pods still have devices of. */
  isDeviceResource(resource: string): boolean {
    return this.inventory.has(resource) || this.records.inUse(resource).size > 0;
  }

  capacity(): Capacity {
    const capacity = this.inventory.capacity(this.ports.now());
    for (const resource of capacity.removed) this.#endpoints.delete(resource);
    return capacity;
  }

  setAffinity(podUid: string, container: string, nodes: readonly number[] | undefined): void {
    const own = this.#affinities.get(podUid) ?? new Map<string, readonly number[]>();
    if (nodes === undefined) own.delete(container);
    else own.set(container, nodes);
    if (own.size > 0) this.#affinities.set(podUid, own);
    else this.#affinities.delete(podUid);
  }

  /** Hints for one container; resources that no plugin has are left out. */
  containerHints(pod: Pod, container: Container): ReadonlyMap<string, ResourceHints> {
    this.collectGarbage();
    const { uid } = pod.metadata;
    const requests = this.#requests(pod, container);
    return this.#hints(requests, (resource) => ({
      had: this.#ids(this.records.get(uid, container.name, resource)),
      reusable: [...this.reusable.of(uid, resource)],
    }));
  }

  /** Hints for the pod as a whole. */
  podHints(pod: Pod): ReadonlyMap<string, ResourceHints> {
    this.collectGarbage();
    const requests = Object.entries(podDeviceRequest(pod, (resource) => this.isDeviceResource(resource)));
    const had = this.records.ofPod(pod.metadata.uid);
    return this.#hints(requests, (resource) => ({
      had: [...new Set(had.filter((one) => one.resource === resource).flatMap((one) => this.#ids(one)))],
      reusable: [],
    }));
  }

  /**
   * Gives the container its devices, one resource after the other, and saves once. Allocations are made one at a time.
   * Rejects with the kubelet's text; what earlier resources of the container got stays recorded until the pod's devices
   * are freed.
   */
  allocate(pod: Pod, container: Container): Promise<void> {
    const turn = this.#last.then(() => this.#allocate(pod, container));
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #allocate(pod: Pod, container: Container): Promise<void> {
    const { uid } = pod.metadata;
    this.#pendingPod = uid;
    this.reusable.begin(uid);
    const requests = this.#requests(pod, container);
    if (requests.length > 0) this.collectGarbage();
    let changed = false;
    for (const [resource, required] of requests) {
      if (await this.#allocateResource(pod, container, resource, required)) changed = true;
    }
    const isInit = pod.spec.initContainers?.some(({ name }) => name === container.name) ?? false;
    for (const { resource, devices } of this.records.ofContainer(uid, container.name)) {
      const ids = deviceIds(devices);
      if (isInit && container.restartPolicy !== "Always") this.reusable.add(resource, ids);
      else this.reusable.remove(resource, ids);
    }
    if (changed) await this.ports.save();
  }

  async #allocateResource(pod: Pod, container: Container, resource: string, required: number): Promise<boolean> {
    const choice = await this.#choose(pod, container, resource, required);
    if (choice === undefined) return false;
    const { ids } = choice;
    this.#reserved.set(resource, new Set(ids));
    try {
      const response = await this.#callAllocate(resource, ids);
      this.records.insert({
        podUid: pod.metadata.uid,
        container: container.name,
        resource,
        devices: perNuma(ids, (id) => this.inventory.device(resource, id)),
        response,
        encoded: this.ports.codec.encode(response),
      });
    } finally {
      this.#reserved.delete(resource);
    }
    this.ports.chosen?.(choice);
    return true;
  }

  async #choose(pod: Pod, container: Container, resource: string, required: number): Promise<Choice | undefined> {
    let preferred: readonly string[] | undefined;
    for (;;) {
      // Looked at again after each question: plugins report and go while others are asked.
      const selection = selectDevices({
        ...this.#selectionInput(pod, container, resource, required),
        ...(preferred === undefined ? {} : { preferred }),
      });
      if (selection.kind === "failed") throw new Error(selection.error);
      if (selection.kind === "nothing") return undefined;
      if (selection.kind === "chosen") return selection;
      const endpoint = this.#endpoints.get(resource);
      if (endpoint === undefined) throw new Error(endpointNotFound(resource));
      try {
        preferred = (await endpoint.preferredAllocation(selection.question)) ?? [];
      } catch (error) {
        throw new Error(preferredFailed(textOf(error)), { cause: error });
      }
    }
  }

  #selectionInput(pod: Pod, container: Container, resource: string, required: number): SelectionInput {
    const { uid } = pod.metadata;
    const used = this.records.inUse(resource);
    const record = this.records.get(uid, container.name, resource);
    // A record without its response is one to be completed: the same devices, and the plugin is asked again.
    const reusable = record !== undefined && record.response === undefined ? new Set(this.#ids(record)) : undefined;
    return {
      pod,
      container,
      resource,
      required,
      had: record === undefined || reusable !== undefined ? undefined : this.#ids(record),
      known: this.inventory.get(resource),
      taken: (id) => used.has(id) || this.#reserved.get(resource)?.has(id) === true,
      reusable: reusable ?? this.reusable.of(uid, resource),
      affinity: this.#affinities.get(uid)?.get(container.name),
      sourcesReady: this.ports.sourcesReady(),
      running: this.ports.wasRunning(uid, container.name),
      canAsk: this.#endpoints.get(resource)?.options?.getPreferredAllocationAvailable ?? false,
      strategy: this.ports.strategy,
    };
  }

  async #callAllocate(resource: string, ids: readonly string[]): Promise<AllocateResponse> {
    const endpoint = this.#endpoints.get(resource);
    if (endpoint === undefined) throw new Error(unknownPlugin(resource));
    const began = this.ports.now();
    try {
      if (this.#isStopped(resource)) throw new Error(endpointStopped(resource));
      const { response, text } = await endpoint.allocate(ids);
      if (response === undefined) throw new Error(noContainersReturned(text));
      return response;
    } finally {
      this.ports.allocated?.(resource, this.ports.now() - began);
    }
  }

  /**
   * What the container gets at its start; undefined: nothing. Plugins that want to prepare devices do it now; devices
   * that were never recorded, as after a loss of the checkpoint, are allocated.
   */
  async prepare(pod: Pod, container: Container): Promise<RunOptions | undefined> {
    const { uid } = pod.metadata;
    let incomplete = false;
    for (const [resource, count] of this.#requests(pod, container)) {
      if (count === 0) continue;
      await this.#preStart(uid, container.name, resource);
      if (this.records.get(uid, container.name, resource)?.response === undefined) incomplete = true;
    }
    if (incomplete && new Set(this.ports.activePods()).has(uid)) await this.allocate(pod, container);
    return this.runOptions(uid, container.name);
  }

  runOptions(podUid: string, container: string): RunOptions | undefined {
    const responses = this.records.ofContainer(podUid, container).map(({ response }) => response);
    return runOptions(responses.filter((response) => response !== undefined));
  }

  async #preStart(podUid: string, container: string, resource: string): Promise<void> {
    const endpoint = this.#endpoints.get(resource);
    if (endpoint === undefined) {
      // Known from the checkpoint: its plugin has not said what it wants.
      if (this.inventory.get(resource)?.remembered === true) return;
      throw new Error(endpointNotFound(resource));
    }
    if (endpoint.options?.preStartRequired !== true) return;
    const record = this.records.get(podUid, container, resource);
    if (record === undefined) throw new Error(nothingAllocated(podUid, container, resource));
    try {
      if (this.#isStopped(resource)) throw new Error(endpointStopped(resource));
      await endpoint.preStartContainer(this.#ids(record));
    } catch (error) {
      throw new Error(preStartFailed(textOf(error)), { cause: error });
    }
  }

  /** The pod's admission is over: from now on it counts only while it is active. */
  endAdmission(podUid: string): void {
    if (this.#pendingPod === podUid) this.#pendingPod = undefined;
  }

  /** The pod is gone for good: its devices are free. False: it had none. */
  free(podUid: string): boolean {
    this.#affinities.delete(podUid);
    this.endAdmission(podUid);
    return this.records.delete(podUid);
  }

  /** The container's devices are free; it gets others at its next start. */
  release(podUid: string, container: string): void {
    this.records.deleteContainer(podUid, container);
  }

  /** What gives the pod's devices back as they are now: those of an admission that fails later. */
  undoPoint(podUid: string): () => boolean {
    const before = this.records.ofPod(podUid);
    const affinities = [...(this.#affinities.get(podUid) ?? [])];
    return () => {
      const changed = this.free(podUid) || before.length > 0;
      for (const allocation of before) this.records.insert(allocation);
      for (const [container, nodes] of affinities) this.setAffinity(podUid, container, nodes);
      return changed;
    };
  }

  /** Frees the devices of pods that are no longer there. Nothing before all sources have spoken. */
  collectGarbage(): boolean {
    if (!this.ports.sourcesReady()) return false;
    const gone = new Set(this.records.pods());
    for (const uid of this.ports.activePods()) gone.delete(uid);
    if (this.#pendingPod !== undefined) gone.delete(this.#pendingPod);
    for (const uid of gone) this.free(uid);
    return gone.size > 0;
  }

  /** What the checkpoint holds. Records without a response are left out. */
  checkpoint(): CheckpointData {
    const entries = [...this.records.all()].flatMap((allocation) => entryOf(allocation) ?? []);
    return { entries, registered: this.inventory.healthy() };
  }

  /** Takes over a checkpoint: resources count as stopped until their plugins are back. Returns the entries left out, and why. */
  restore({ entries, registered }: CheckpointData): readonly string[] {
    const faults: string[] = [];
    for (const { podUid, container, resource, devices, response } of entries) {
      try {
        const decoded = this.ports.codec.decode(response);
        this.records.insert({ podUid, container, resource, devices, response: decoded, encoded: response });
      } catch (error) {
        faults.push(`${resource} of container ${container} of pod ${podUid}: ${textOf(error)}`);
      }
    }
    for (const resource of registered.keys()) this.inventory.remember(resource, this.ports.now());
    return faults;
  }

  /** The same state for a dry run: plugins may be asked what they prefer, and `allocate` stands in for them. */
  copy(ports: ManagerPorts, allocate: Endpoint["allocate"]): DeviceManager {
    const copy = new DeviceManager(ports);
    copy.inventory.takeOver(this.inventory);
    for (const allocation of this.records.all()) copy.records.insert(allocation);
    for (const [resource, endpoint] of this.#endpoints) {
      const { options } = endpoint;
      const preferredAllocation: Endpoint["preferredAllocation"] = (question) => endpoint.preferredAllocation(question);
      copy.#endpoints.set(resource, {
        options,
        allocate,
        preferredAllocation,
        preStartContainer: async () => {},
        stop: () => {},
      });
    }
    return copy;
  }

  /** Ends all connections. */
  stop(): void {
    for (const endpoint of this.#endpoints.values()) endpoint.stop();
  }

  #requests(pod: Pod, container: Container): readonly (readonly [resource: string, count: number])[] {
    const { draExtendedResource = false } = this.ports;
    return containerDevices(
      container,
      (resource) =>
        this.isDeviceResource(resource) && !(draExtendedResource && isLeftToDra(pod, container.name, resource)),
    );
  }

  #isStopped(resource: string): boolean {
    return this.inventory.get(resource)?.stoppedAt !== undefined;
  }

  #hints(
    requests: readonly (readonly [resource: string, request: number])[],
    own: (resource: string) => { readonly had: readonly string[]; readonly reusable: readonly string[] },
  ): ReadonlyMap<string, ResourceHints> {
    const machineNodes = this.ports.machineNodes();
    return new Map(
      requests.map(([resource, request]) => {
        const used = this.records.inUse(resource);
        const known = this.inventory.get(resource);
        const taken = (id: string): boolean => used.has(id);
        return [resource, resourceHints({ machineNodes, known, taken, request, ...own(resource) })];
      }),
    );
  }

  #ids(allocation: Allocation | undefined): readonly string[] {
    return allocation === undefined ? [] : deviceIds(allocation.devices);
  }
}

const entries = new WeakMap<Allocation, CheckpointEntry>();

/** One object for one record, so that its text is made once (checkpoint/format.ts). */
function entryOf(allocation: Allocation): CheckpointEntry | undefined {
  const { podUid, container, resource, devices, encoded } = allocation;
  if (encoded === undefined) return undefined;
  const known = entries.get(allocation);
  if (known !== undefined) return known;
  const entry: CheckpointEntry = { podUid, container, resource, devices, response: encoded };
  entries.set(allocation, entry);
  return entry;
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
