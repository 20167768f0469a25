/** Pods and events as an API has them, at a time that tests know. */
import type { Pod } from "@hooklet/manifest";
import type { Event } from "kubernetes-types/core/v1.js";

/** 2026-11-21T10:00:00Z. */
export const NOW = Date.UTC(2026, 10, 21, 10);

/** A running pod with one ready container, unless `change` says otherwise. */
export function aPod(name: string, change: { status?: object; spec?: object; metadata?: object } = {}): Pod {
  return {
    metadata: {
      name,
      namespace: "default",
      uid: `uid-${name}`,
      creationTimestamp: "2026-11-21T09:59:00Z",
      ...change.metadata,
    },
    spec: { nodeName: "node1", containers: [{ name: "main", image: "host" }], ...change.spec },
    status: {
      phase: "Running",
      podIP: "10.0.0.1",
      startTime: "2026-11-21T09:59:00Z",
      conditions: [{ type: "Ready", status: "True" }],
      containerStatuses: [
        {
          name: "main",
          ready: true,
          restartCount: 0,
          image: "host",
          imageID: "",
          state: { running: { startedAt: "2026-11-21T09:59:01Z" } },
        },
      ],
      ...change.status,
    },
  } as Pod;
}

export function anEvent(pod: string, reason: string, change: object = {}): Event {
  return {
    kind: "Event",
    apiVersion: "v1",
    metadata: { name: `${pod}.${reason}`, namespace: "default" },
    type: "Normal",
    reason,
    message: `${reason} of ${pod}`,
    count: 1,
    firstTimestamp: "2026-11-21T09:59:30Z",
    lastTimestamp: "2026-11-21T09:59:30Z",
    involvedObject: { kind: "Pod", namespace: "default", name: pod, uid: `uid-${pod}` },
    source: { component: "kubelet", host: "node1" },
    ...change,
  } as Event;
}
