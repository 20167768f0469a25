/**
 * The known resources: their devices, health, and whether their plugin is connected (pkg/kubelet/cm/devicemanager).
 * Times are monotonic milliseconds of the caller. Pure.
 */

import { type Device, isHealthy } from "./device.js";
import { inNaturalOrder } from "./natural-order.js";

/** Milliseconds for which the devices of a plugin that is gone still count as (unhealthy) capacity. */
export const STOP_GRACE_PERIOD = 300_000;

/** One resource. */
export interface ResourceDevices {
  /** The last report of its plugin, in natural order of id; devices of a plugin that is gone stay. */
  readonly devices: readonly Device[];
  readonly byId: ReadonlyMap<string, Device>;
  readonly healthy: ReadonlySet<string>;
  readonly unhealthy: ReadonlySet<string>;
  /** When its plugin disconnected; undefined while it is connected. */
  readonly stoppedAt: number | undefined;
  /** Known from the checkpoint only: its plugin has not reported in this life of the agent. */
  readonly remembered: boolean;
}

export interface Capacity {
  /** Healthy and unhealthy devices by resource. */
  readonly capacity: Record<string, number>;
  /** Healthy devices by resource. */
  readonly allocatable: Record<string, number>;
  /** Resources whose plugin has been gone for longer than the grace period. They are forgotten by this very call. */
  readonly removed: readonly string[];
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export class Inventory {
  readonly #resources = new Map<string, Mutable<ResourceDevices>>();
  /** Devices as last seen, kept for pods that still hold them when the resource itself is forgotten. */
  readonly #last = new Map<string, ReadonlyMap<string, Device>>();

  /** A plugin for the resource has connected. The devices of an earlier one stay until the new one reports. */
  connected(resource: string): void {
    const known = this.#of(resource);
    known.stoppedAt = undefined;
  }

  /** The complete list of the resource's devices. Of an id that comes twice the last one counts. */
  reported(resource: string, devices: readonly Device[]): void {
    const known = this.#of(resource);
    known.remembered = false;
    known.byId = new Map(devices.map((device) => [device.id, device]));
    known.devices = inNaturalOrder([...known.byId.values()], ({ id }) => id);
    known.healthy = new Set(known.devices.filter(isHealthy).map(({ id }) => id));
    known.unhealthy = new Set(known.devices.filter((device) => !isHealthy(device)).map(({ id }) => id));
    this.#last.set(resource, known.byId);
  }

  /** The plugin is gone: none of its devices may be given to a container until it is back. */
  disconnected(resource: string, now: number): void {
    this.markUnhealthy(resource);
    this.stopped(resource, now);
  }

  /** The plugin's connection has ended; what it has reported stays as it is. */
  stopped(resource: string, at: number): void {
    const known = this.#resources.get(resource);
    if (known !== undefined) known.stoppedAt = at;
  }

  markUnhealthy(resource: string): void {
    const known = this.#resources.get(resource);
    if (known === undefined) return;
    known.unhealthy = new Set([...known.unhealthy, ...known.healthy]);
    known.healthy = new Set();
  }

  /** A resource of the checkpoint: no devices and no plugin yet, with the grace period beginning now. */
  remember(resource: string, now: number): void {
    if (this.#resources.has(resource)) return;
    const known = this.#of(resource);
    known.stoppedAt = now;
    known.remembered = true;
  }

  /** All that the other one knows. */
  takeOver(other: Inventory): void {
    for (const [resource, known] of other.#resources) this.#resources.set(resource, { ...known });
    for (const [resource, devices] of other.#last) this.#last.set(resource, devices);
  }

  get(resource: string): ResourceDevices | undefined {
    return this.#resources.get(resource);
  }

  /** A device as it was last seen, also of a resource that is forgotten. */
  device(resource: string, id: string): Device | undefined {
    return this.#last.get(resource)?.get(id);
  }

  has(resource: string): boolean {
    return this.#resources.has(resource);
  }

  names(): readonly string[] {
    return [...this.#resources.keys()].sort();
  }

  /** What the node has now. Forgets what `removed` names. */
  capacity(now: number): Capacity {
    const capacity: Record<string, number> = {};
    const allocatable: Record<string, number> = {};
    const removed: string[] = [];
    for (const [resource, { healthy, unhealthy, stoppedAt }] of this.#resources) {
      if (stoppedAt !== undefined && now - stoppedAt > STOP_GRACE_PERIOD) {
        removed.push(resource);
        continue;
      }
      capacity[resource] = healthy.size + unhealthy.size;
      allocatable[resource] = healthy.size;
    }
    for (const resource of removed) this.#resources.delete(resource);
    return { capacity, allocatable, removed: removed.sort() };
  }

  /** Healthy devices by resource, in natural order: what the checkpoint calls RegisteredDevices. */
  healthy(): ReadonlyMap<string, readonly string[]> {
    return new Map(this.names().map((name) => [name, [...(this.#resources.get(name)?.healthy ?? [])]]));
  }

  /** The healthy devices themselves: what the pod resources API calls allocatable. */
  allocatable(): ReadonlyMap<string, readonly Device[]> {
    const devices = new Map([...this.#resources].map(([name, { devices }]) => [name, devices]));
    const healthy = new Map([...this.#resources].map(([name, { healthy }]) => [name, healthy]));
    return filterDevices(devices, healthy);
  }

  #of(resource: string): Mutable<ResourceDevices> {
    const known = this.#resources.get(resource);
    if (known !== undefined) return known;
    const fresh: Mutable<ResourceDevices> = {
      devices: [],
      byId: new Map(),
      healthy: new Set(),
      unhealthy: new Set(),
      stoppedAt: undefined,
      remembered: false,
    };
    this.#resources.set(resource, fresh);
    return fresh;
  }
}

/** Whether any device reports its NUMA node: then alignment applies. */
export function hasTopology(devices: Iterable<Device>): boolean {
  for (const { nodes } of devices) if (nodes.length > 0) return true;
  return false;
}

/** Of each resource that is wanted and there: the devices with the wanted ids. */
export function filterDevices<D extends Pick<Device, "id">>(
  devices: ReadonlyMap<string, readonly D[]>,
  wanted: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlyMap<string, readonly D[]> {
  return new Map(
    [...wanted].flatMap(([resource, ids]) => {
      const there = devices.get(resource);
      return there === undefined ? [] : [[resource, there.filter(({ id }) => ids.has(id))] as const];
    }),
  );
}
