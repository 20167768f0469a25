/** Who has which devices: the records of all pods (pkg/kubelet/cm/devicemanager podDevices). Pure. */

import { type AllocateResponse, type Device, type DevicesPerNuma, NO_NODE } from "./device.js";
import { inNaturalOrder } from "./natural-order.js";

/** The devices of one resource that one container has. */
export interface Allocation {
  readonly podUid: string;
  readonly container: string;
  readonly resource: string;
  readonly devices: DevicesPerNuma;
  /** The plugin's answer; undefined after a loss of the checkpoint: then it is called again at the next start. */
  readonly response: AllocateResponse | undefined;
  /** `response` as protobuf in base64, as the checkpoint has it. */
  readonly encoded: string | undefined;
}

type ByResource = Map<string, Allocation>;

export class PodDevices {
  /** Pod uid -> container -> resource. */
  readonly #pods = new Map<string, Map<string, ByResource>>();
  /** Resource -> device id -> how many containers have it. */
  readonly #inUse = new Map<string, Map<string, number>>();

  /** Replaces what the container had of this resource. */
  insert(allocation: Allocation): void {
    const { podUid, container, resource } = allocation;
    const containers = this.#pods.get(podUid) ?? new Map<string, ByResource>();
    const resources = containers.get(container) ?? new Map<string, Allocation>();
    const before = resources.get(resource);
    if (before !== undefined) this.#count(before, -1);
    this.#pods.set(podUid, containers.set(container, resources.set(resource, allocation)));
    this.#count(allocation, 1);
  }

  /** Gives back all that the pod has. False: it had nothing. */
  delete(podUid: string): boolean {
    for (const allocation of this.ofPod(podUid)) this.#count(allocation, -1);
    return this.#pods.delete(podUid);
  }

  deleteContainer(podUid: string, container: string): void {
    for (const allocation of this.ofContainer(podUid, container)) this.#count(allocation, -1);
    const containers = this.#pods.get(podUid);
    containers?.delete(container);
    if (containers?.size === 0) this.#pods.delete(podUid);
  }

  hasPod(podUid: string): boolean {
    return this.#pods.has(podUid);
  }

  pods(): readonly string[] {
    return [...this.#pods.keys()];
  }

  /** All records of the pod, in the order in which its containers got them. */
  ofPod(podUid: string): readonly Allocation[] {
    return [...(this.#pods.get(podUid)?.values() ?? [])].flatMap((resources) => [...resources.values()]);
  }

  ofContainer(podUid: string, container: string): readonly Allocation[] {
    return [...(this.#pods.get(podUid)?.get(container)?.values() ?? [])];
  }

  get(podUid: string, container: string, resource: string): Allocation | undefined {
    return this.#pods.get(podUid)?.get(container)?.get(resource);
  }

  *all(): IterableIterator<Allocation> {
    for (const containers of this.#pods.values())
      for (const resources of containers.values()) yield* resources.values();
  }

  /** The ids that containers have of a resource. */
  inUse(resource: string): { has(id: string): boolean; readonly size: number } {
    return this.#inUse.get(resource) ?? NONE;
  }

  /** The resources with allocated devices. */
  resourcesInUse(): readonly string[] {
    return [...this.#inUse.keys()];
  }

  #count({ resource, devices }: Allocation, by: 1 | -1): void {
    const counts = this.#inUse.get(resource) ?? new Map<string, number>();
    for (const id of deviceIds(devices)) {
      const count = (counts.get(id) ?? 0) + by;
      if (count > 0) counts.set(id, count);
      else counts.delete(id);
    }
    if (counts.size > 0) this.#inUse.set(resource, counts);
    else this.#inUse.delete(resource);
  }
}

const NONE: ReadonlySet<string> = new Set();

/** Every id once, in natural order. */
export function deviceIds(devices: DevicesPerNuma): readonly string[] {
  return inNaturalOrder([...new Set([...devices.values()].flat())], (id) => id);
}

/** The ids by NUMA node, as records and checkpoint have them. `device` undefined: its node is unknown. */
export function perNuma(ids: readonly string[], device: (id: string) => Device | undefined): DevicesPerNuma {
  const places = new Map<number, string[]>();
  for (const id of ids) {
    const nodes = device(id)?.nodes ?? [];
    for (const node of nodes.length === 0 ? [NO_NODE] : nodes) {
      const here = places.get(node);
      if (here === undefined) places.set(node, [id]);
      else if (!here.includes(id)) here.push(id);
    }
  }
  return new Map([...places].sort(([a], [b]) => a - b));
}

/** The other way: each id with its nodes, none for those under -1. In order of first appearance. */
export function nodesById(devices: DevicesPerNuma): ReadonlyMap<string, readonly number[]> {
  const nodes = new Map<string, number[]>();
  for (const [node, ids] of [...devices].sort(([a], [b]) => a - b)) {
    for (const id of ids) nodes.set(id, [...(nodes.get(id) ?? []), ...(node === NO_NODE ? [] : [node])]);
  }
  return nodes;
}
