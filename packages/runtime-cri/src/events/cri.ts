/** The CRI's own event stream: containerd 1.7+, CRI-O. */
import { Labels } from "@hooklet/core";
import type { RuntimeEvent } from "@hooklet/core/host";
import { lastingStream } from "./lasting-stream.js";
import type { EventSource } from "./source.js";

const TYPES: Readonly<Record<string, RuntimeEvent["type"]>> = {
  CONTAINER_CREATED_EVENT: "CONTAINER_CREATED",
  CONTAINER_STARTED_EVENT: "CONTAINER_STARTED",
  CONTAINER_STOPPED_EVENT: "CONTAINER_STOPPED",
  CONTAINER_DELETED_EVENT: "CONTAINER_DELETED",
};

export const criEvents: EventSource = (ports, listener) =>
  lastingStream(ports, "GetContainerEvents", {}, listener, ({ containerId, containerEventType, podSandboxStatus }) => {
    const type = TYPES[containerEventType];
    const podUid = podSandboxStatus?.labels[Labels.podUid] ?? ports.known.get(containerId)?.podUid;
    if (type === undefined || podUid === undefined) return;
    listener.event({ podUid, containerId: containerId === podSandboxStatus?.id ? "" : containerId, type });
  });
