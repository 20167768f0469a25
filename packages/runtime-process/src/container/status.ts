/** A container's status for CRI. Pure. */
import type { ContainerStatus, RuntimeContainer } from "@hooklet/core";
import type { Container } from "./container.js";

export function toContainer({ record, life }: Container): RuntimeContainer {
  const { config } = record;
  const states = {
    created: "CONTAINER_CREATED",
    starting: "CONTAINER_CREATED",
    running: "CONTAINER_RUNNING",
    exited: "CONTAINER_EXITED",
  } as const;
  return {
    id: record.id,
    sandboxId: record.sandboxId,
    metadata: config.metadata,
    state: states[life.kind],
    createdAt: BigInt(record.createdAt),
    image: config.image.userSpecifiedImage || config.image.image,
    imageRef: record.imageId,
    labels: config.labels,
    annotations: config.annotations,
  };
}

export function toContainerStatus(container: Container): ContainerStatus {
  const { record, life } = container;
  const { uid, gid, groups } = record.launch.user;
  const ended = life.kind === "exited" ? life : undefined;
  return {
    ...toContainer(container),
    startedAt: life.kind === "running" || life.kind === "exited" ? life.startedAt : 0n,
    finishedAt: ended?.finishedAt ?? 0n,
    exitCode: ended?.exitCode ?? 0,
    reason: ended?.reason ?? "",
    message: ended?.message ?? "",
    mounts: record.config.mounts,
    logPath: record.logPath,
    user: { uid, gid, supplementalGroups: groups },
  };
}
