import type { ContainerStatus, RuntimeContainer, Sandbox } from "@hooklet/core";
import type { ContainerConfig, SandboxConfig, SandboxStatus } from "@hooklet/core/host";
import type { ContainerStats, LinuxContainerResources } from "@hooklet/core/subsystem";
import type { ContainerFiles } from "./files.js";
import type { Exit, SimulatedProcess } from "./process.js";

/** A sandbox of the simulated node. */
export interface SandboxRecord {
  readonly id: string;
  readonly config: SandboxConfig;
  readonly createdAt: bigint;
  readonly ip: string;
  ready: boolean;
}

/** A container of the simulated node. */
export interface ContainerRecord {
  readonly id: string;
  readonly config: ContainerConfig;
  readonly sandbox: SandboxRecord;
  readonly createdAt: bigint;
  readonly files: ContainerFiles;
  resources: LinuxContainerResources;
  stats: Omit<ContainerStats, "id" | "labels">;
  startedAt: bigint;
  finishedAt: bigint;
  /** Set while it runs. */
  process?: SimulatedProcess;
  exit?: Exit;
  /** The agent has stopped it. */
  isStopped?: boolean;
  /** The newest 64 KiB of what it wrote, both streams. */
  output: string;
  /** Called once, when the process ends. */
  readonly onEnd: Set<() => void>;
}

export function sandboxOf(record: SandboxRecord): Sandbox {
  return {
    id: record.id,
    metadata: record.config.metadata,
    state: record.ready ? "SANDBOX_READY" : "SANDBOX_NOTREADY",
    createdAt: record.createdAt,
    labels: record.config.labels,
    annotations: record.config.annotations,
  };
}

export function sandboxStatusOf(record: SandboxRecord): SandboxStatus {
  const onHostNetwork = record.config.linux.securityContext.namespaces.network === "NODE";
  return { ...sandboxOf(record), ips: onHostNetwork ? [] : [record.ip] };
}

export function containerOf(record: ContainerRecord): RuntimeContainer {
  return {
    id: record.id,
    sandboxId: record.sandbox.id,
    metadata: record.config.metadata,
    state: record.process ? "CONTAINER_RUNNING" : record.exit ? "CONTAINER_EXITED" : "CONTAINER_CREATED",
    createdAt: record.createdAt,
    image: record.config.image.userSpecifiedImage,
    imageRef: record.config.image.image,
    labels: record.config.labels,
    annotations: record.config.annotations,
  };
}

export function containerStatusOf(record: ContainerRecord): ContainerStatus {
  const { exit } = record;
  const user = record.config.linux.securityContext;
  const uid = user.runAsUser ?? 0;
  return {
    ...containerOf(record),
    startedAt: record.startedAt,
    finishedAt: record.finishedAt,
    exitCode: exit?.code ?? 0,
    reason: exit === undefined ? "" : (exit.reason ?? (exit.code === 0 ? "Completed" : "Error")),
    message: exit?.message ?? "",
    mounts: record.config.mounts,
    logPath: `${record.sandbox.config.logDirectory}/${record.config.logPath}`,
    user: { uid, gid: user.runAsGroup ?? uid, supplementalGroups: user.supplementalGroups },
  };
}
