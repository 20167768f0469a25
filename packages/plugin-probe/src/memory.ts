/** What survives a restart of the agent: which containers were ready and started, by container id. */
import type { Json, NodeView, Pod } from "@hooklet/core";
import type { ContainerRecord, Containers } from "./containers.js";
import type { Prober } from "./prober.js";
import { probeKinds } from "./types.js";
import { probedContainers, probeOf } from "./worker/spec.js";

export interface Memory {
  readonly containers: Readonly<Record<string, { readonly ready: boolean; readonly started: boolean }>>;
}

export function memoryOf(containers: Containers): Memory {
  const known = [...containers.all()].filter(({ containerId }) => containerId !== "");
  return {
    containers: Object.fromEntries(known.map(({ containerId, ready, started }) => [containerId, { ready, started }])),
  };
}

/** @throws Error when it was not written by `memoryOf` */
export function readMemory(saved: Json | undefined): Memory {
  if (saved === undefined) return { containers: {} };
  const { containers } = (typeof saved === "object" ? (saved ?? {}) : {}) as { readonly containers?: unknown };
  if (typeof containers !== "object" || containers === null) throw new Error("expected {containers: {...}}");
  for (const [id, value] of Object.entries(containers)) {
    const { ready, started } = (value ?? {}) as { readonly ready?: unknown; readonly started?: unknown };
    if (typeof ready !== "boolean" || typeof started !== "boolean")
      throw new Error(`expected {ready, started} for container ${id}`);
  }
  return { containers: containers as Memory["containers"] };
}

/** The kubelet's own margin: what has run for longer is no fresh start. */
const SETTLED = 10_000;

/**
 * Takes up the probes of what runs. A container that the memory does not know counts as ready and started if it has run for
 * more than 10 s (the memory was lost), else as just started (the agent died before it could write).
 */
export function restore(prober: Prober, memory: Memory, observed: NodeView, now: number): void {
  const byUid = new Map(observed.pods.map((pod) => [pod.metadata.uid, pod]));
  for (const status of observed.containers) {
    if (status.state !== "CONTAINER_RUNNING") continue;
    const pod = byUid.get(status.labels["io.kubernetes.pod.uid"] ?? "");
    const container = pod === undefined ? undefined : probed(pod, status.metadata.name);
    if (pod === undefined || container === undefined) continue;
    const settled = now - Number(status.startedAt / 1_000_000n) > SETTLED;
    const known: ContainerRecord["remembered"] =
      memory.containers[status.id] ?? (settled ? { ready: true, started: true } : undefined);
    prober.adopt(pod, container, status.id, known);
  }
}

function probed(pod: Pod, name: string) {
  const container = probedContainers(pod).find((own) => own.name === name);
  return container !== undefined && probeKinds.some((kind) => probeOf(container, kind) !== undefined)
    ? container
    : undefined;
}
