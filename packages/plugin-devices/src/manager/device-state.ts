/** The state of the device manager: resources, allocations, endpoints, topology. */

import { type Container, errorText } from "@hooklet/core";
import type { CheckpointData, CheckpointEntry } from "../checkpoint/format.js";
import { containerDevices } from "../device/device.js";
import { Inventory } from "../device/inventory.js";
import { type Allocation, deviceIds, PodDevices } from "../device/pod-devices.js";
import type { Endpoint, ManagerPorts, ResponseCodec } from "./ports.js";

export class DeviceState {
  readonly inventory = new Inventory();
  readonly records = new PodDevices();
  readonly reusable = new ReusableDevices();
  /** The plugins by resource; one that is gone stays until its resource is forgotten. */
  readonly endpoints = new Map<string, Endpoint>();
  readonly affinities = new Affinities();
  /** A pod in its admission: it is not active yet, and keeps what it gets. */
  pendingPod: string | undefined;
  /** Resources that containers got devices of, or were refused, since stale records were last removed. */
  readonly #allocated = new Set<string>();

  /**
   * A plugin has registered the resource, or pods had devices of it. A pod that asks for such a resource after its plugin
   * has gone for good is rejected, as by the kubelet's isDevicePluginResource.
   */
  isDeviceResource(resource: string): boolean {
    return this.inventory.has(resource) || this.#allocated.has(resource) || this.records.inUse(resource).size > 0;
  }

  /** A container requests devices of a resource that has some. */
  allocating(resource: string): void {
    this.#allocated.add(resource);
  }

  endAdmission(podUid: string): void {
    if (this.pendingPod === podUid) this.pendingPod = undefined;
  }

  /** False: the pod had no devices. */
  free(podUid: string): boolean {
    this.affinities.delete(podUid);
    this.endAdmission(podUid);
    return this.records.delete(podUid);
  }

  /** Frees the devices of pods that are no longer there. Nothing before all sources have spoken. */
  collectGarbage({ sourcesReady, activePods }: Pick<ManagerPorts, "sourcesReady" | "activePods">): boolean {
    if (!sourcesReady()) return false;
    const gone = new Set(this.records.pods());
    for (const uid of activePods()) gone.delete(uid);
    if (this.pendingPod !== undefined) gone.delete(this.pendingPod);
    for (const uid of gone) this.free(uid);
    // Of resources without a plugin those count from now on that pods still have devices of.
    if (gone.size > 0) this.#allocated.clear();
    return gone.size > 0;
  }

  /** Its plugin is not there. */
  isStopped(resource: string): boolean {
    return this.inventory.get(resource)?.stoppedAt !== undefined;
  }

  /** The container's requests of device resources, in the order of the manifest. */
  requests(container: Container): readonly (readonly [resource: string, count: number])[] {
    return containerDevices(container, (resource) => this.isDeviceResource(resource));
  }

  /** The ids on record; undefined: nothing was ever recorded. */
  ids(podUid: string, container: string, resource: string): readonly string[] | undefined {
    const record = this.records.get(podUid, container, resource);
    return record === undefined ? undefined : deviceIds(record.devices);
  }
}

// Between the manager's records and the checkpoint.

/** What the checkpoint holds. Records without a response are left out. */
export function checkpointOf({ records, inventory }: Pick<DeviceState, "records" | "inventory">): CheckpointData {
  const entries = [...records.all()].flatMap((allocation) => entryOf(allocation) ?? []);
  return { entries, registered: inventory.healthy() };
}

/**
 * Takes over a checkpoint: its resources count as stopped, from `now` on, until their plugins are back. Returns the entries
 * left out, and why.
 */
export function restoreInto(
  { records, inventory }: Pick<DeviceState, "records" | "inventory">,
  { entries, registered }: CheckpointData,
  codec: ResponseCodec,
  now: number,
): readonly string[] {
  const faults: string[] = [];
  for (const { podUid, container, resource, devices, response } of entries) {
    try {
      records.insert({
        podUid,
        container,
        resource,
        devices,
        response: codec.decode(response),
        encoded: response,
      });
    } catch (error) {
      faults.push(`${resource} of container ${container} of pod ${podUid}: ${errorText(error)}`);
    }
  }
  for (const resource of registered.keys()) inventory.remember(resource, now);
  return faults;
}

const known = new WeakMap<Allocation, CheckpointEntry>();

/** One object for one record, so that its text is made once (format.ts). */
function entryOf(allocation: Allocation): CheckpointEntry | undefined {
  const { podUid, container, resource, devices, encoded } = allocation;
  if (encoded === undefined) return undefined;
  const before = known.get(allocation);
  if (before !== undefined) return before;
  const entry: CheckpointEntry = { podUid, container, resource, devices, response: encoded };
  known.set(allocation, entry);
  return entry;
}

/** The NUMA nodes that the topology manager chose: pod uid -> container. */
class Affinities {
  readonly #pods = new Map<string, Map<string, readonly number[]>>();

  get(podUid: string, container: string): readonly number[] | undefined {
    return this.#pods.get(podUid)?.get(container);
  }

  /** Undefined: any. */
  set(podUid: string, container: string, nodes: readonly number[] | undefined): void {
    const own = this.#pods.get(podUid) ?? new Map<string, readonly number[]>();
    if (nodes === undefined) own.delete(container);
    else own.set(container, nodes);
    if (own.size > 0) this.#pods.set(podUid, own);
    else this.#pods.delete(podUid);
  }

  delete(podUid: string): void {
    this.#pods.delete(podUid);
  }

  ofPod(podUid: string): readonly (readonly [container: string, nodes: readonly number[]])[] {
    return [...(this.#pods.get(podUid) ?? [])];
  }
}

/** Devices of a pod's init containers that its later containers may reuse. Kept for one pod at a time. */
export class ReusableDevices {
  #podUid: string | undefined;
  #resources = new Map<string, Set<string>>();

  /** What was kept for another pod is dropped. */
  begin(podUid: string): void {
    if (this.#podUid === podUid) return;
    this.#podUid = podUid;
    this.#resources = new Map();
  }

  of(podUid: string, resource: string): ReadonlySet<string> {
    return (podUid === this.#podUid ? this.#resources.get(resource) : undefined) ?? NONE;
  }

  /** An init container that ends leaves its devices to those after it. */
  add(resource: string, ids: readonly string[]): void {
    const kept = this.#resources.get(resource) ?? new Set();
    for (const id of ids) kept.add(id);
    this.#resources.set(resource, kept);
  }

  /** A container that stays keeps them. */
  remove(resource: string, ids: readonly string[]): void {
    for (const id of ids) this.#resources.get(resource)?.delete(id);
  }

  /** The pods for which something is kept. */
  get podUids(): readonly string[] {
    return this.#podUid === undefined ? [] : [this.#podUid];
  }
}

const NONE: ReadonlySet<string> = new Set();
