/** All that the device manager knows: what there is, who has what, whom to ask, where it shall lie. */
import type { Container, Pod } from "@hooklet/core";
import { ReusableDevices } from "../allocation/reuse.js";
import { Inventory } from "../device/inventory.js";
import { deviceIds, PodDevices } from "../device/pod-devices.js";
import { containerDevices, isLeftToDra } from "../device/requests.js";
import type { Endpoint } from "../endpoint.js";
import { Affinities } from "../topology/affinities.js";

export class DeviceState {
  readonly inventory = new Inventory();
  readonly records = new PodDevices();
  readonly reusable = new ReusableDevices();
  /** The plugins by resource; one that is gone stays until its resource is forgotten. */
  readonly endpoints = new Map<string, Endpoint>();
  readonly affinities = new Affinities();

  /** @param draExtendedResource the gate of this name */
  constructor(private readonly draExtendedResource: boolean) {}

  /** The resources that plugins have registered, or that pods still have devices of. */
  isDeviceResource(resource: string): boolean {
    return this.inventory.has(resource) || this.records.inUse(resource).size > 0;
  }

  /** Its plugin is not there. */
  isStopped(resource: string): boolean {
    return this.inventory.get(resource)?.stoppedAt !== undefined;
  }

  /** What the container asks of device resources, in the order of the manifest. */
  requests(pod: Pod, container: Container): readonly (readonly [resource: string, count: number])[] {
    const isOurs = (resource: string): boolean =>
      this.isDeviceResource(resource) && !(this.draExtendedResource && isLeftToDra(pod, container.name, resource));
    return containerDevices(container, isOurs);
  }

  /** The ids on record; undefined: nothing was ever recorded. */
  ids(podUid: string, container: string, resource: string): readonly string[] | undefined {
    const record = this.records.get(podUid, container, resource);
    return record === undefined ? undefined : deviceIds(record.devices);
  }
}
