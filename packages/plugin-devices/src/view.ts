/** `hooklet get devices`, and the live part of `explain device`. */
import { type Decision, type NodeContext, namespacedName, type View, type ViewRow } from "@hooklet/core";
import { isHealthy } from "./device/device.js";
import { deviceIds } from "./device/pod-devices.js";
import type { DeviceManager } from "./manager/device-manager.js";

type Pods = Pick<NodeContext["pods"], "get">;

interface Owner {
  readonly podUid: string;
  readonly container: string;
}

export function devicesView(manager: () => DeviceManager, pods: Pods): View {
  return {
    description: "Devices with their health and who has them",
    columns: [
      { name: "resource" },
      { name: "id" },
      { name: "numa" },
      { name: "health" },
      { name: "pod" },
      { name: "container" },
      { name: "namespace", wide: true },
      { name: "uid", wide: true },
    ],
    rows: () => deviceRows(manager(), pods),
  };
}

/** Devices that are known or held, by resource and id. */
function deviceRows(manager: DeviceManager, pods: Pods): readonly ViewRow[] {
  const { inventory, records } = manager;
  const owners = ownersOf(manager);
  const resources = [...new Set([...inventory.names(), ...records.resourcesInUse()])].sort();
  return resources.flatMap((resource) => {
    const known = inventory.get(resource);
    const held = owners.get(resource) ?? new Map<string, readonly Owner[]>();
    const row = (id: string, health: string, nodes: readonly number[], owner: Owner | undefined): ViewRow => {
      const pod = owner === undefined ? undefined : pods.get(owner.podUid);
      return {
        resource,
        id,
        numa: nodes.join(","),
        health,
        pod: pod?.metadata.name ?? "",
        container: owner?.container ?? "",
        namespace: pod?.metadata.namespace ?? "",
        uid: owner?.podUid ?? "",
      };
    };
    const rows = (known?.devices ?? []).flatMap((device) => {
      const away = known?.stoppedAt !== undefined;
      const health = away ? "PluginGone" : isHealthy(device) ? "Healthy" : "Unhealthy";
      const own = held.get(device.id) ?? [undefined];
      return own.map((owner) => row(device.id, health, device.nodes, owner));
    });
    const lost = [...held].filter(([id]) => known?.byId.has(id) !== true);
    return [...rows, ...lost.flatMap(([id, own]) => own.map((owner) => row(id, "Unknown", [], owner)))];
  });
}

/** What is true of a device at this moment, as a decision. @param name its id, or `resource/id` */
export function explainDevice(
  manager: DeviceManager,
  pods: Pods,
  plugin: string,
  at: number,
  name: string,
): readonly Decision[] {
  return deviceRows(manager, pods)
    .filter(({ resource, id }) => id === name || `${String(resource)}/${String(id)}` === name)
    .map(({ resource, id, numa, health, container, uid, ...row }) => ({
      at,
      plugin,
      strategy: "now",
      subject: `device/${String(resource)}/${String(id)}`,
      considered: [
        { candidate: "health", verdict: String(health), why: healthWords[String(health)] ?? "" },
        ...(numa === "" ? [] : [{ candidate: "NUMA node", verdict: String(numa), why: "as its plugin reports" }]),
      ],
      outcome:
        uid === ""
          ? "free"
          : `held by container ${String(container)} of pod ${row.pod === "" ? String(uid) : fullName(row)}`,
    }));
}

/** The devices that a pod has now. @param name `namespace/name`, or the name alone */
export function explainPod(
  manager: DeviceManager,
  pods: Pods,
  plugin: string,
  at: number,
  name: string,
): readonly Decision[] {
  const own = deviceRows(manager, pods).filter((row) => row.pod === name || fullName(row) === name);
  const [first] = own;
  if (first === undefined) return [];
  const considered = own.map(({ resource, id, health, container }) => ({
    candidate: `device/${String(resource)}/${String(id)}`,
    verdict: String(health),
    why: `held by container ${String(container)}`,
  }));
  const subject = `pod/${fullName(first)}`;
  return [{ at, plugin, strategy: "now", subject, considered, outcome: `${own.length} devices held` }];
}

/** Of the pod that a row names. */
function fullName({ namespace, pod }: ViewRow): string {
  return namespacedName({ namespace: String(namespace), name: String(pod) });
}

const healthWords: Readonly<Record<string, string>> = {
  Healthy: "its plugin's last report says so",
  Unhealthy: "its plugin's last report says another word than Healthy",
  PluginGone: "its plugin is not connected: no pod gets it until the plugin is back",
  Unknown: "its plugin's last report does not name it",
};

function ownersOf({ records }: DeviceManager): Map<string, Map<string, Owner[]>> {
  const owners = new Map<string, Map<string, Owner[]>>();
  for (const { podUid, container, resource, devices } of records.all()) {
    const byId = owners.get(resource) ?? new Map<string, Owner[]>();
    owners.set(resource, byId);
    for (const id of deviceIds(devices)) byId.set(id, [...(byId.get(id) ?? []), { podUid, container }]);
  }
  return owners;
}
