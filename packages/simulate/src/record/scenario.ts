/** A scenario of what was found on a node. Pure. */
import { namespacedName } from "@hooklet/manifest";
import type { DeviceCheckpoint, ImageSeen, Observed, Summary } from "./observed.js";
import type { RecordedConfig } from "./recorded-config.js";
import { byStart, type CleanOptions, recordedPod } from "./recorded-pods.js";

type Plain = Readonly<Record<string, unknown>>;

/** When the usage of pods is set: they run by then. */
const SETTLED = "1m";

/** As a file: `until` is ten minutes, for the user to go on from there. */
export function recordedScenario(seen: Observed, config: RecordedConfig, options: CleanOptions): Plain {
  const pods = byStart(seen.pods ?? [])
    .map((pod) => recordedPod(pod, options))
    .filter((pod) => pod !== undefined);
  const devices = devicesOf(seen.devices);
  return {
    node: nodeOf(seen),
    ...(Object.keys(config).length === 0 ? {} : { config }),
    images: imagesOf(seen),
    ...(Object.keys(devices).length === 0 ? {} : { devices }),
    timeline: [...pods.map((apply) => ({ at: "0s", apply })), ...usageOf(seen.summary, pods)],
    until: "10m",
    expect: [],
  };
}

function nodeOf({ node, kubeletConfig, summary }: Observed): Plain {
  const { capacity = {}, nodeInfo } = node?.status ?? {};
  const { memory, fs, runtime, rlimit } = summary?.node ?? {};
  const total = memory === undefined ? undefined : (memory.availableBytes ?? 0) + (memory.workingSetBytes ?? 0);
  const imageFs = fileSystem(runtime?.imageFs ?? fs);
  const nodeFs = fileSystem(fs);
  const apart =
    runtime?.imageFs !== undefined && fs !== undefined && runtime.imageFs.capacityBytes !== fs.capacityBytes;
  const maxPods = kubeletConfig?.maxPods ?? (capacity.pods === undefined ? undefined : Number(capacity.pods));
  return {
    name: node?.metadata?.name,
    cpu: capacity.cpu?.toString(),
    memory: capacity.memory?.toString() ?? total,
    pods: typeof maxPods === "number" ? maxPods : undefined,
    pids: rlimit?.maxpid,
    imageFs,
    nodeFs: apart ? nodeFs : undefined,
    labels: nodeInfo && node?.metadata?.labels,
  };
}

function fileSystem(one: NonNullable<Summary["node"]>["fs"]): Plain | undefined {
  if (one?.capacityBytes === undefined) return undefined;
  const { capacityBytes, availableBytes, inodes, inodesFree } = one;
  return { capacity: capacityBytes, available: availableBytes, inodes, inodesFree };
}

function imagesOf({ images, node }: Observed): readonly Plain[] {
  if (images !== undefined) return images.flatMap(imageOf);
  return (node?.status?.images ?? []).flatMap(({ names, sizeBytes }) =>
    names === undefined || names === null || names.length === 0 ? [] : [{ names, size: sizeBytes ?? 0 }],
  );
}

function imageOf({ id, repoTags, repoDigests, size, pinned }: ImageSeen): readonly Plain[] {
  const tags = repoTags ?? [];
  const names = tags.length > 0 ? tags : (repoDigests ?? []);
  if (names.length === 0) return [];
  return [{ id, names, size: Number(size ?? 0), ...(pinned === true ? { pinned } : {}) }];
}

/** The NUMA node of a device is known once it has been given out. */
function devicesOf({
  PodDeviceEntries = [],
  RegisteredDevices = {},
}: DeviceCheckpoint = {}): Readonly<Record<string, readonly Plain[]>> {
  const numa = new Map<string, number>();
  for (const { ResourceName = "", DeviceIDs = {} } of PodDeviceEntries ?? []) {
    if (Array.isArray(DeviceIDs)) continue;
    for (const [node, ids] of Object.entries(DeviceIDs)) {
      for (const id of ids) if (Number(node) >= 0) numa.set(`${ResourceName}/${id}`, Number(node));
    }
  }
  return Object.fromEntries(
    Object.entries(RegisteredDevices ?? {}).map(([resource, ids]) => [
      resource,
      [...ids].sort().map((id) => {
        const node = numa.get(`${resource}/${id}`);
        return node === undefined ? { id } : { id, numa: node };
      }),
    ]),
  );
}

/** What each container uses, and what the machine uses beside them. */
function usageOf(summary: Summary | undefined, pods: readonly Plain[]): readonly Plain[] {
  const here = new Set(pods.map(({ metadata }) => nameOf(metadata as { name: string; namespace?: string })));
  let used = 0;
  const steps = (summary?.pods ?? []).flatMap(({ podRef = {}, containers = [], volume = [], process_stats }) => {
    const pod = nameOf(podRef);
    if (!here.has(pod)) return [];
    return containers.map(({ name, memory, rootfs }, index) => {
      used += memory?.workingSetBytes ?? 0;
      const volumes = index > 0 ? 0 : volume.reduce((sum, { usedBytes = 0 }) => sum + usedBytes, 0);
      const processes = index > 0 ? undefined : process_stats?.process_count;
      return {
        at: SETTLED,
        usage: {
          pod,
          container: name,
          memory: memory?.workingSetBytes ?? 0,
          disk: rootfs?.usedBytes ?? 0,
          ...(volumes > 0 && hasFolder(pods, pod) ? { volumes } : {}),
          pids: processes,
        },
      };
    });
  });
  const all = summary?.node?.memory?.workingSetBytes;
  const rest = all === undefined ? [] : [{ at: "0s", usage: { memory: Math.max(0, all - used) } }];
  return [...rest, ...steps];
}

function hasFolder(pods: readonly Plain[], name: string): boolean {
  const pod = pods.find(({ metadata }) => nameOf(metadata as { name: string }) === name);
  const volumes =
    (pod?.spec as { readonly volumes?: readonly { readonly emptyDir?: { readonly medium?: string } }[] })?.volumes ??
    [];
  return volumes.some(({ emptyDir }) => emptyDir !== undefined && emptyDir.medium !== "Memory");
}

function nameOf({ namespace = "default", name = "" }: { readonly namespace?: string; readonly name?: string }): string {
  return namespacedName({ namespace, name });
}
