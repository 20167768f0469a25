/** Gives containers their devices, one container at a time: choice, call of the plugin, record (ManagerImpl.Allocate). */
import { type Container, errorText, type Pod } from "@hooklet/core";
import {
  endpointNotFound,
  endpointStopped,
  noContainersReturned,
  preferredFailed,
  unknownPlugin,
} from "../allocation/messages.js";
import { type Selection, type SelectionInput, selectDevices } from "../allocation/select.js";
import type { AllocateResponse } from "../device/device.js";
import { deviceIds, perNuma } from "../device/pod-devices.js";
import type { Question } from "../strategies/allocation.js";
import type { DeviceState } from "./device-state.js";
import type { Choice, ManagerPorts } from "./ports.js";

export class Allocator {
  /** Devices chosen and not yet recorded, while their plugin is called. */
  readonly #reserved = new Map<string, ReadonlySet<string>>();
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly state: DeviceState,
    private readonly ports: ManagerPorts,
  ) {}

  /**
   * Gives the container its devices, one resource after the other, and saves once. Allocations are made one at a time.
   * Rejects with the kubelet's text; what earlier resources of the container got stays recorded until the pod's devices
   * are freed.
   */
  allocate(pod: Pod, container: Container): Promise<void> {
    return this.#inTurn(() => this.#allocate(pod, container));
  }

  /** Allocates what the records of an admitted container lack: at its start, perhaps in the middle of another pod's admission. */
  complete(pod: Pod, container: Container): Promise<void> {
    return this.#inTurn(async () => {
      if (await this.#allocateAll(pod, container)) await this.ports.save();
    });
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const turn = this.#last.then(work);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  async #allocate(pod: Pod, container: Container): Promise<void> {
    const { records, reusable } = this.state;
    const { uid } = pod.metadata;
    reusable.begin(uid);
    const changed = await this.#allocateAll(pod, container);
    const isInit = pod.spec.initContainers?.some(({ name }) => name === container.name) ?? false;
    for (const { resource, devices } of records.ofContainer(uid, container.name)) {
      const ids = deviceIds(devices);
      if (isInit && container.restartPolicy !== "Always") reusable.add(resource, ids);
      else reusable.remove(resource, ids);
    }
    if (changed) await this.ports.save();
  }

  async #allocateAll(pod: Pod, container: Container): Promise<boolean> {
    const requests = this.state.requests(container);
    if (requests.length > 0) this.state.collectGarbage(this.ports);
    let changed = false;
    for (const [resource, required] of requests) {
      if (await this.#allocateResource(pod, container, resource, required)) changed = true;
    }
    return changed;
  }

  async #allocateResource(pod: Pod, container: Container, resource: string, required: number): Promise<boolean> {
    const choice = await this.#choose(pod, container, resource, required);
    if (choice === undefined) return false;
    const { ids } = choice;
    this.#reserved.set(resource, new Set(ids));
    try {
      const response = await this.#call(resource, ids);
      this.state.records.insert({
        podUid: pod.metadata.uid,
        container: container.name,
        resource,
        devices: perNuma(ids, (id) => this.state.inventory.device(resource, id)),
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
      // Checked again after each call: plugins report and disconnect while others are called.
      const selection: Selection = selectDevices({
        ...this.#selectionInput(pod, container, resource, required),
        ...(preferred === undefined ? {} : { preferred }),
      });
      if (selection.kind === "failed") {
        if (selection.tooFew) this.state.allocating(resource);
        throw new Error(selection.error);
      }
      if (selection.kind === "nothing") return undefined;
      this.state.allocating(resource);
      if (selection.kind === "chosen") return selection;
      preferred = await this.#ask(resource, selection.question);
    }
  }

  #selectionInput(pod: Pod, container: Container, resource: string, required: number): SelectionInput {
    const { inventory, records, reusable, endpoints, affinities } = this.state;
    const { uid } = pod.metadata;
    const used = records.inUse(resource);
    const had = this.state.ids(uid, container.name, resource);
    // A record without its response is incomplete: the same devices, and the plugin is called again.
    const isComplete = records.get(uid, container.name, resource)?.response !== undefined;
    return {
      pod,
      container,
      resource,
      required,
      had: isComplete ? had : undefined,
      known: inventory.get(resource),
      taken: (id) => used.has(id) || this.#reserved.get(resource)?.has(id) === true,
      reusable: had === undefined || isComplete ? reusable.of(uid, resource) : new Set(had),
      affinity: affinities.get(uid, container.name),
      sourcesReady: this.ports.sourcesReady(),
      running: this.ports.wasRunning(uid, container.name),
      canAsk: endpoints.get(resource)?.options?.getPreferredAllocationAvailable ?? false,
      strategy: this.ports.strategy,
    };
  }

  async #ask(resource: string, question: Question): Promise<readonly string[]> {
    const endpoint = this.state.endpoints.get(resource);
    if (endpoint === undefined) throw new Error(endpointNotFound(resource));
    try {
      return (await endpoint.preferredAllocation(question)) ?? [];
    } catch (error) {
      throw new Error(preferredFailed(errorText(error)), { cause: error });
    }
  }

  async #call(resource: string, ids: readonly string[]): Promise<AllocateResponse> {
    const endpoint = this.state.endpoints.get(resource);
    if (endpoint === undefined) throw new Error(unknownPlugin(resource));
    const began = this.ports.now();
    try {
      if (this.state.isStopped(resource)) throw new Error(endpointStopped(resource));
      const { response, text } = await endpoint.allocate(ids);
      if (response === undefined) throw new Error(noContainersReturned(text));
      return response;
    } finally {
      this.ports.allocated?.(resource, this.ports.now() - began);
    }
  }
}
