/** Pods that wait for devices where a kubelet refuses them: what they lack is about to come. */
import { namespacedName, type Pod, type Postponement } from "@hooklet/core";
import { admitDevices, type TopologyOptions, untold } from "./admission.js";
import { containerDevices } from "./device/requests.js";
import type { DeviceManager } from "./manager/manager.js";
import type { ManagerPorts } from "./manager/ports.js";
import { rehearsal } from "./rehearsal.js";

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

/**
 * The pod could have its devices but for pods that are leaving: wait until they are gone. A kubelet refuses such a pod; of
 * manifests it gives the devices away while the pod before still ends.
 * @param leaving pods that hold devices, and are being stopped, or may be: no source has spoken of them yet
 */
export async function waitForDevices(
  pod: Pod,
  leaving: readonly Pod[],
  manager: DeviceManager,
  ports: ManagerPorts,
  topology: TopologyOptions,
): Promise<Postponement | undefined> {
  const wanted = new Set(requested(pod, (resource) => manager.isDeviceResource(resource)));
  const holders = leaving.filter(({ metadata: { uid } }) =>
    manager.records.ofPod(uid).some(({ resource }) => wanted.has(resource)),
  );
  if (holders.length === 0) return undefined;
  // Devices alone: who else is in the way says so in the admission itself.
  const own = { ...topology, providers: [] };
  const asItIs = rehearsal(manager, ports);
  if ((await admitDevices(asItIs, pod, own, untold)) === undefined) return undefined;
  const later = rehearsal(manager, ports);
  for (const { metadata } of holders) later.free(metadata.uid);
  if ((await admitDevices(later, pod, own, untold)) !== undefined) return undefined;
  const names = holders.slice(0, NAMED).map(({ metadata }) => namespacedName(metadata));
  const more = holders.length > NAMED ? ` and ${holders.length - NAMED} more` : "";
  return {
    reason: "WaitingForDevices",
    message: `its devices are held by pods that are still ending: ${names.join(", ")}${more}`,
    retryAfterSeconds: RETRY,
  };
}

function requested({ spec }: Pod, isOurs: (resource: string) => boolean): readonly string[] {
  return [...(spec.initContainers ?? []), ...spec.containers]
    .flatMap((container) => containerDevices(container, isOurs))
    .flatMap(([resource, count]) => (count > 0 ? resource : []));
}
