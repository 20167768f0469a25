/** What the node's capacity and allocatable say of devices. */
import type { NodeContext } from "@hooklet/core";
import { sanitizeAllocatable } from "./device/device.js";
import type { DeviceManager } from "./manager/device-manager.js";

type Amounts = Readonly<Record<string, number>>;

export class NodeResources {
  /** The resources last declared to the node, as text. */
  readonly #declared = new Map<string, string>();

  constructor(
    private readonly node: Pick<NodeContext["node"], "setExtendedResource">,
    private readonly manager: DeviceManager,
  ) {}

  /** Tells the node what there is. */
  declare(): void {
    const { capacity, allocatable, removed } = this.manager.capacity();
    // Of a resource that is no longer there the node keeps 0: it is known to be a device plugin's.
    for (const resource of removed) capacity[resource] = allocatable[resource] = 0;
    this.#publish(capacity, allocatable);
  }

  /**
   * Raises the capacity to what pods hold, unhealthy devices included, since the predicates count those. Until the next
   * `declare`.
   */
  raiseFor(podUid: string): void {
    const { records } = this.manager;
    if (!records.hasPod(podUid)) return;
    const { capacity, allocatable } = this.manager.capacity();
    const used = Object.fromEntries(records.resourcesInUse().map((name) => [name, records.inUse(name).size]));
    this.#publish({ ...used, ...capacity }, sanitizeAllocatable(allocatable, used));
  }

  #publish(capacity: Amounts, allocatable: Amounts): void {
    for (const [name, count] of Object.entries(capacity)) {
      const amounts = { capacity: count, allocatable: allocatable[name] ?? 0 };
      const text = `${amounts.capacity} ${amounts.allocatable}`;
      if (this.#declared.get(name) === text) continue;
      this.#declared.set(name, text);
      this.node.setExtendedResource(name, amounts);
    }
  }
}
