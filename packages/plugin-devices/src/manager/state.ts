/** The state of the device manager: resources, allocations, endpoints, topology. */
import type { Container } from "@hooklet/core";
import { ReusableDevices } from "../allocation/reuse.js";
import { Inventory } from "../device/inventory.js";
import { deviceIds, PodDevices } from "../device/pod-devices.js";
import { containerDevices } from "../device/requests.js";
import type { Endpoint } from "../endpoint.js";
import { Affinities } from "../topology/affinities.js";

export class DeviceState {
  readonly inventory = new Inventory();
  readonly records = new PodDevices();
  readonly reusable = new ReusableDevices();
  /** The plugins by resource; one that is gone stays until its resource is forgotten. */
  readonly endpoints = new Map<string, Endpoint>();
  readonly affinities = new Affinities();
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

  /** Stale records were removed: of resources without a plugin those count that pods still have devices of. */
  staleRemoved(): void {
    this.#allocated.clear();
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
