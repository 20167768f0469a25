/** Health of devices: shown in the status of the pods that have them, and acted upon where the rc file says so. */

import { allContainers, errorText, type NodeContext, namespacedName, type Pod } from "@hooklet/core";
import { type Device, isHealthy } from "./device/device.js";
import { allocatedResourcesStatus } from "./device/health.js";
import { deviceIds } from "./device/pod-devices.js";
import type { DeviceManager } from "./manager/device-manager.js";
import type { DevicesOptions } from "./options.js";

type Context = Pick<NodeContext, "pods" | "clock" | "log">;

export class HealthReporter {
  readonly #updates = new HealthUpdates();
  #scheduled = false;
  #lost = false;

  constructor(
    private readonly ctx: Context,
    private readonly manager: DeviceManager,
    private readonly onUnhealthy: DevicesOptions["onUnhealthy"],
  ) {}

  /** A report has changed the health of these devices. */
  reported(resource: string, changed: readonly string[]): void {
    const ids = new Set(changed);
    const owners = [...this.manager.records.all()].filter(
      (one) => one.resource === resource && deviceIds(one.devices).some((id) => ids.has(id)),
    );
    if (!this.#updates.push(owners.map(({ podUid }) => podUid))) this.#lost = true;
    this.#schedule();
    for (const { podUid, container, devices } of owners) {
      const sick = deviceIds(devices).filter((id) => ids.has(id) && this.#isSick(resource, id));
      if (sick.length > 0) this.#act(podUid, container, `Device ${sick.join(", ")} of ${resource} is unhealthy`);
    }
  }

  /** Puts the health of the pod's devices into its status. */
  show(pod: Pod): void {
    const { uid } = pod.metadata;
    for (const { name } of allContainers(pod)) {
      const allocations = this.manager.records.ofContainer(uid, name);
      const status = allocatedResourcesStatus(allocations, (resource, id) =>
        this.manager.inventory.device(resource, id),
      );
      this.ctx.pods.setAllocatedResourcesStatus({ podUid: uid, container: name }, status);
    }
  }

  /** With `onUnhealthy: restart` a container that starts again gets other devices than those that are sick. */
  needsOthers(podUid: string, container: string): boolean {
    if (this.onUnhealthy !== "restart") return false;
    return this.manager.records
      .ofContainer(podUid, container)
      .some(({ resource, devices }) => deviceIds(devices).some((id) => this.#isSick(resource, id)));
  }

  /** Tells all that waits. */
  flush(): void {
    const uids = new Set(this.#updates.take().flat());
    const all = this.#lost;
    this.#lost = false;
    for (const pod of this.ctx.pods.active()) {
      if (!all && !uids.has(pod.metadata.uid)) continue;
      try {
        this.show(pod);
      } catch (error) {
        this.ctx.log.error(
          `health of devices of pod ${namespacedName(pod.metadata)} is not shown: ${errorText(error)}`,
        );
      }
    }
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.ctx.clock.schedule(0, () => {
      this.#scheduled = false;
      this.flush();
    });
  }

  /** The plugin itself has reported it; a disconnected plugin has not. */
  #isSick(resource: string, id: string): boolean {
    const device: Device | undefined = this.manager.inventory.device(resource, id);
    return device !== undefined && !isHealthy(device);
  }

  #act(podUid: string, container: string, message: string): void {
    if (this.onUnhealthy === "restart") this.ctx.pods.restartContainer({ podUid, container }, { message });
    if (this.onUnhealthy !== "evict") return;
    this.ctx.pods
      .evict(podUid, { reason: "DeviceUnhealthy", message })
      .catch((error: unknown) =>
        this.ctx.log.warn(`pod ${podUid} is not evicted for its unhealthy device: ${errorText(error)}`),
      );
  }
}

// Pods whose devices have changed their health, on their way to a new status (the kubelet's update channel).

/** Updates that wait at most; further ones are dropped, as in the kubelet: the next sync of the pod shows the health anyway. */
const CAPACITY = 100;

export class HealthUpdates {
  #waiting: (readonly string[])[] = [];
  #dropped = 0;

  /** @param podUids of one report; each once. False: the queue is full. */
  push(podUids: readonly string[]): boolean {
    const pods = [...new Set(podUids)];
    if (pods.length === 0) return true;
    if (this.#waiting.length >= CAPACITY) {
      this.#dropped++;
      return false;
    }
    this.#waiting.push(pods);
    return true;
  }

  /** All that wait, oldest first. */
  take(): readonly (readonly string[])[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }

  /** The number of dropped updates. */
  get dropped(): number {
    return this.#dropped;
  }
}
