/** Pods that wait for devices which are about to appear; a kubelet rejects them. */
import { allContainers, namespacedName, type Pod, type Postponement } from "@hooklet/core";
import { admitDevices, silent, type TopologyOptions } from "./admission.js";
import { containerDevices } from "./device/device.js";
import { dryRunManager } from "./dry-run-manager.js";
import type { DeviceManager } from "./manager/device-manager.js";
import type { ManagerPorts } from "./manager/ports.js";

/** Seconds. */
const RETRY = 1;
/** Pods named in a message. */
const NAMED = 3;

/** A resource of the pod is known from before the agent's start and its plugin is not back: wait for it. */
export function waitForPlugin(pod: Pod, manager: DeviceManager): Postponement | undefined {
  const isAway = (resource: string): boolean => manager.inventory.get(resource)?.remembered === true;
  const [away] = requested(pod, isAway);
  if (away === undefined) return undefined;
  return {
    reason: "WaitingForDevicePlugin",
    message: `the device plugin of ${away} has not registered again since the agent's start`,
    retryAfterSeconds: RETRY,
  };
}

/** Pods that hold a part of the node and may give it back. */
export interface Leaving {
  /** They are being stopped. */
  readonly ending: readonly Pod[];
  /** They run from before a restart of the agent, and no source has delivered them yet. */
  readonly unclaimed: readonly Pod[];
}

/**
 * The pod could have its devices but for pods that are leaving: wait until it is clear. A kubelet refuses such a pod, or, when
 * the pods before came from manifests, gives it their devices while they still run.
 */
export async function waitForDevices(
  pod: Pod,
  { ending, unclaimed }: Leaving,
  manager: DeviceManager,
  ports: ManagerPorts,
  topology: TopologyOptions,
): Promise<Postponement | undefined> {
  const wanted = new Set(requested(pod, (resource) => manager.isDeviceResource(resource)));
  const holds = ({ metadata: { uid } }: Pod): boolean =>
    manager.records.ofPod(uid).some(({ resource }) => wanted.has(resource));
  const holders = { ending: ending.filter(holds), unclaimed: unclaimed.filter(holds) };
  const all = [...holders.ending, ...holders.unclaimed];
  if (all.length === 0) return undefined;
  // Devices alone: other reasons come from the admission itself.
  const own = { ...topology, providers: [] };
  if ((await admitDevices(dryRunManager(manager, ports), pod, own, silent)) === undefined) return undefined;
  const later = dryRunManager(manager, ports);
  for (const { metadata } of all) later.free(metadata.uid);
  if ((await admitDevices(later, pod, own, silent)) !== undefined) return undefined;
  const parts = [
    ...named("that are still ending", holders.ending),
    ...named("of which no source has spoken since the agent's start", holders.unclaimed),
  ];
  return {
    reason: "WaitingForDevices",
    message: `its devices are held by ${parts.join(", and by ")}`,
    retryAfterSeconds: RETRY,
  };
}

function named(which: string, pods: readonly Pod[]): readonly string[] {
  if (pods.length === 0) return [];
  const names = pods.slice(0, NAMED).map(({ metadata }) => namespacedName(metadata));
  const more = pods.length > NAMED ? ` and ${pods.length - NAMED} more` : "";
  return [`pods ${which}: ${names.join(", ")}${more}`];
}

function requested(pod: Pod, isOurs: (resource: string) => boolean): readonly string[] {
  return allContainers(pod)
    .flatMap((container) => containerDevices(container, isOurs))
    .flatMap(([resource, count]) => (count > 0 ? resource : []));
}
