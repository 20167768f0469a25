/** What a simulation tells: one record for each thing that happened. Pure. */

import type { Decision } from "@hooklet/core";
import { podReady } from "@hooklet/core/base";
import { namespacedName, type Pod } from "@hooklet/manifest";

/** `t`: seconds from the start, to the millisecond. `pod`: `namespace/name`. */
export type SimulationRecord = { readonly t: number } & (
  | { readonly kind: "pod.applied"; readonly pod: string }
  | { readonly kind: "pod.admitted"; readonly pod: string }
  | { readonly kind: "pod.rejected"; readonly pod: string; readonly reason: string; readonly message: string }
  | ({ readonly kind: "pod.preempted" } & VictimPart)
  | ({ readonly kind: "pod.evicted" } & VictimPart)
  | { readonly kind: "pod.ready"; readonly pod: string; readonly ready: boolean }
  | { readonly kind: "pod.phase"; readonly pod: string; readonly phase: string; readonly reason?: string }
  | { readonly kind: "pod.removed"; readonly pod: string }
  | ContainerRecord<"container.started">
  | ContainerRecord<"container.restarted">
  | (ContainerRecord<"container.exited"> & ExitPart)
  | (ContainerRecord<"container.killed"> & ExitPart)
  | {
      readonly kind: "probe.result";
      readonly pod: string;
      readonly container: string;
      readonly type: "liveness" | "readiness" | "startup";
      readonly result: string;
      readonly output?: string;
    }
  | {
      readonly kind: "device.allocated";
      readonly pod: string;
      readonly container: string;
      readonly resource: string;
      readonly ids: readonly string[];
      /** NUMA node of each id, null where the plugin tells of none; of one that is near to several the first. */
      readonly numa: readonly (number | null)[];
    }
  | { readonly kind: "image.pulled"; readonly image: string; readonly id: string; readonly size: number }
  | { readonly kind: "image.removed"; readonly id: string; readonly names: readonly string[]; readonly size: number }
  | { readonly kind: "cgroup.written"; readonly path: string; readonly value: string }
  | {
      readonly kind: "event";
      readonly type: string;
      readonly reason: string;
      readonly message: string;
      /** `pod/namespace/name` or `node/name`. */
      readonly object: string;
      readonly container?: string;
      readonly count: number;
    }
  | ({ readonly kind: "decision" } & Omit<Decision, "at">)
  /** `configmap/namespace/name` or `secret/namespace/name`. */
  | { readonly kind: "object.applied"; readonly object: string }
  | { readonly kind: "object.removed"; readonly object: string }
  /** `off`: no lock holds it up any more. */
  | { readonly kind: "machine.shutdown"; readonly state: "begun" | "cancelled" | "off" }
  | { readonly kind: "agent.restarted" }
);

interface ContainerRecord<Kind extends string> {
  readonly kind: Kind;
  readonly pod: string;
  readonly container: string;
  readonly attempt: number;
}

interface VictimPart {
  readonly pod: string;
  readonly message: string;
  readonly qos: string;
  readonly priority: number;
}

interface ExitPart {
  readonly code: number;
  readonly reason: string;
}

/** A record without its time. */
export type Happening = SimulationRecord extends infer One ? (One extends unknown ? Omit<One, "t"> : never) : never;

/** Seconds, to the millisecond. */
export function seconds(milliseconds: number): number {
  return Math.round(milliseconds) / 1000;
}

// What a run leaves.

/** What is left at the end, without times and ids: what two runs have to agree in. */
export interface FinalState {
  readonly pods: readonly (PodFacts & { readonly reason: string; readonly qos: string })[];
  /** First name, or id. */
  readonly images: readonly string[];
  readonly devices: readonly { readonly device: string; readonly holder: string }[];
}

// What figures and expectations read of a pod's status.

interface PodFacts {
  /** `namespace/name`. */
  readonly pod: string;
  readonly phase: string;
  readonly ready: boolean;
  /** Of all its containers. */
  readonly restarts: number;
}

export function podFacts(pod: Pod): PodFacts {
  const { metadata, status = {} } = pod;
  return {
    pod: namespacedName(metadata),
    phase: status.phase ?? "Pending",
    ready: podReady(pod),
    restarts: [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].reduce(
      (sum, { restartCount }) => sum + restartCount,
      0,
    ),
  };
}
