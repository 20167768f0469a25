/** CRI answers as the port has them. Pure. */

import type { RuntimeContainer as Container, ContainerStatus, Image, Mount, Sandbox } from "@hooklet/core";
import type { RuntimeFileSystem, SandboxStatus } from "@hooklet/core/host";
import type { ContainerStats } from "@hooklet/core/subsystem";
import type {
  WireContainer,
  WireContainerStatus,
  WireFilesystem,
  WireImage,
  WireMount,
  WireSandbox,
  WireSandboxStatus,
  WireStats,
} from "../wire.js";

const CONTAINER_STATES: ReadonlySet<unknown> = new Set<Container["state"]>([
  "CONTAINER_CREATED",
  "CONTAINER_RUNNING",
  "CONTAINER_EXITED",
  "CONTAINER_UNKNOWN",
]);
const PROPAGATIONS: ReadonlyMap<unknown, Mount["propagation"]> = new Map([
  ["PROPAGATION_HOST_TO_CONTAINER", "HOST_TO_CONTAINER"],
  ["PROPAGATION_BIDIRECTIONAL", "BIDIRECTIONAL"],
]);

export function toSandbox(wire: WireSandbox): Sandbox {
  const { id, state, labels, annotations, metadata } = wire;
  const { name = "", namespace = "", uid = "", attempt = 0 } = metadata ?? {};
  return {
    id,
    metadata: { name, namespace, uid, attempt },
    // One that only a newer runtime knows is not ready, as for the kubelet.
    state: state === "SANDBOX_READY" ? state : "SANDBOX_NOTREADY",
    createdAt: BigInt(wire.createdAt),
    labels,
    annotations,
  };
}

export function toSandboxStatus(wire: WireSandboxStatus): SandboxStatus {
  const { ip = "", additionalIps = [] } = wire.network ?? {};
  return { ...toSandbox(wire), ips: [ip, ...additionalIps.map((other) => other.ip)].filter((one) => one !== "") };
}

export function toContainer(wire: WireContainer): Container {
  const { id, state, labels, annotations, imageRef, podSandboxId: sandboxId } = wire;
  const { name = "", attempt = 0 } = wire.metadata ?? {};
  const { image = "", runtimeHandler = "" } = wire.image ?? {};
  return {
    id,
    sandboxId,
    metadata: { name, attempt },
    // proto-loader gives a state that only a newer runtime knows as its number.
    state: CONTAINER_STATES.has(state) ? state : "CONTAINER_UNKNOWN",
    createdAt: BigInt(wire.createdAt),
    image,
    imageRef,
    ...(wire.imageId === "" ? {} : { imageId: wire.imageId }),
    ...(runtimeHandler === "" ? {} : { imageRuntimeHandler: runtimeHandler }),
    labels,
    annotations,
  };
}

export function toContainerStatus(wire: WireContainerStatus, sandboxId: string): ContainerStatus {
  const { exitCode, reason, message, logPath } = wire;
  const user = wire.user?.linux;
  const imageVolumes = wire.mounts.flatMap(({ image }) => (image === null ? [] : [image.image]));
  return {
    ...toContainer({ ...wire, podSandboxId: sandboxId }),
    ...times(wire),
    exitCode,
    reason,
    message,
    mounts: wire.mounts.map(toMount),
    ...(imageVolumes.length > 0 && { imageVolumes }),
    logPath,
    ...(user == null
      ? {}
      : {
          user: {
            uid: Number(user.uid),
            gid: Number(user.gid),
            supplementalGroups: user.supplementalGroups.map(Number),
          },
        }),
  };
}

/** containerd notes a start when its own call returns: a container that ends at once seems to end before. */
function times(wire: WireContainerStatus): Pick<ContainerStatus, "startedAt" | "finishedAt"> {
  const [startedAt, finishedAt] = [BigInt(wire.startedAt), BigInt(wire.finishedAt)];
  return { startedAt: finishedAt > 0n && finishedAt < startedAt ? finishedAt : startedAt, finishedAt };
}

function toMount(wire: WireMount): Mount {
  const { propagation, containerPath, hostPath, readonly, recursiveReadOnly, selinuxRelabel } = wire;
  return {
    containerPath,
    hostPath,
    readonly,
    ...(recursiveReadOnly && { recursiveReadOnly }),
    selinuxRelabel,
    propagation: PROPAGATIONS.get(propagation) ?? "PRIVATE",
  };
}

export function toImage(wire: WireImage): Image {
  const { id, repoTags, repoDigests, pinned, username } = wire;
  const runtimeHandler = wire.spec?.runtimeHandler ?? "";
  return {
    id,
    repoTags,
    repoDigests,
    size: Number(wire.size),
    ...(wire.uid === null ? {} : { uid: Number(wire.uid.value) }),
    ...(username === "" ? {} : { username }),
    pinned,
    ...(runtimeHandler === "" ? {} : { runtimeHandler }),
  };
}

/** Undefined when the runtime does not say where it is. */
export function toFileSystem(wire: WireFilesystem | undefined): RuntimeFileSystem | undefined {
  const mountpoint = wire?.fsId?.mountpoint;
  if (!mountpoint) return undefined;
  return {
    mountpoint,
    usedBytes: Number(wire?.usedBytes?.value ?? 0),
    inodesUsed: Number(wire?.inodesUsed?.value ?? 0),
  };
}

export function toStats(wire: WireStats): ContainerStats {
  return {
    id: wire.attributes?.id ?? "",
    labels: wire.attributes?.labels ?? {},
    ...amount("cpuUsageNanoSeconds", wire.cpu?.usageCoreNanoSeconds),
    ...amount("memoryWorkingSetBytes", wire.memory?.workingSetBytes),
    ...amount("writableLayerUsedBytes", wire.writableLayer?.usedBytes),
    ...amount("writableLayerInodesUsed", wire.writableLayer?.inodesUsed),
  };
}

function amount(name: string, given: { readonly value: string } | null | undefined): object {
  return given == null ? {} : { [name]: Number(given.value) };
}
