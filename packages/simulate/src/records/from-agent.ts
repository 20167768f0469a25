/** Decisions and events of the agent as records. Pure. */

import type { Decision } from "@hooklet/core";
import { qosClass } from "@hooklet/core/rules";
import { namespacedName, type Pod } from "@hooklet/manifest";
import type { Event } from "kubernetes-types/core/v1.js";
import { type Happening, podFacts } from "./record.js";

type DeviceNodes = (resource: string, id: string) => readonly number[];

/** The decision itself, after what it says of a pod or a device. */
export function decisionHappenings({ at: _, ...decision }: Decision, numaOf: DeviceNodes): readonly Happening[] {
  return [...rejection(decision), ...allocation(decision, numaOf), { kind: "decision", ...decision }];
}

type Bare = Omit<Decision, "at">;

function rejection({ plugin, strategy, subject, considered, outcome }: Bare): readonly Happening[] {
  const reason = /^rejected: (.*)/.exec(outcome)?.[1];
  if (plugin !== "core" || strategy !== "podAdmit" || reason === undefined) return [];
  const message = considered.find(({ verdict }) => verdict === reason)?.why ?? "";
  return [{ kind: "pod.rejected", pod: subject.slice("pod/".length), reason, message }];
}

/** A choice of devices lists each that is taken as `device/RESOURCE/ID`. */
function allocation({ subject, considered }: Bare, numaOf: DeviceNodes): readonly Happening[] {
  const [kind, namespace = "", pod = "", container = ""] = subject.split("/");
  if (kind !== "container") return [];
  const byResource = new Map<string, string[]>();
  for (const { candidate, verdict } of considered) {
    const [, resource = "", id = ""] = /^device\/(.+)\/([^/]+)$/.exec(candidate) ?? [];
    if (verdict === "taken" && id !== "") byResource.set(resource, [...(byResource.get(resource) ?? []), id]);
  }
  return [...byResource].map(([resource, ids]) => ({
    kind: "device.allocated",
    pod: namespacedName({ namespace, name: pod }),
    container,
    resource,
    ids,
    numa: ids.map((id) => numaOf(resource, id)[0] ?? null),
  }));
}

const victimKinds: Readonly<Record<string, "pod.preempted" | "pod.evicted">> = {
  Preempting: "pod.preempted",
  Evicted: "pod.evicted",
};

/** The event itself, after what it says of its pod. @param victim the pod that it is about, when that one ran */
export function eventHappenings(event: Event, victim: Pod | undefined): readonly Happening[] {
  const { involvedObject = {}, type = "", reason = "", message = "", count = 1 } = event;
  const { kind = "", namespace = "default", name = "", fieldPath = "" } = involvedObject;
  const pod = namespacedName({ namespace, name });
  const container = /\{(.*)\}$/.exec(fieldPath)?.[1];
  const said: Happening[] = [];
  const about = kind === "Pod" ? victimKinds[reason] : undefined;
  // A pod that is not let in is not evicted, though it gets the same event.
  if (about !== undefined && victim !== undefined) {
    said.push({ kind: about, pod, qos: qosClass(victim), priority: victim.spec.priority ?? 0, message });
  }
  return [
    ...said,
    {
      kind: "event",
      type,
      reason,
      message,
      object: kind === "Pod" ? `pod/${pod}` : `node/${name}`,
      ...(container === undefined ? {} : { container }),
      count,
    },
  ];
}

// What a new status of a pod says that the one before did not.

/** What was last recorded of a pod. */
export interface Recorded {
  readonly ready: boolean;
  readonly phase: string;
}

export const NOTHING_RECORDED: Recorded = { ready: false, phase: "Pending" };

export function podChanges(
  seen: Pod,
  before: Recorded,
): { readonly recorded: Recorded; readonly happenings: readonly Happening[] } {
  const { pod, phase, ready } = podFacts(seen);
  const reason = seen.status?.reason;
  const happenings: Happening[] = [];
  if (phase !== before.phase) {
    happenings.push({ kind: "pod.phase", pod, phase, ...(reason === undefined ? {} : { reason }) });
  }
  if (ready !== before.ready) happenings.push({ kind: "pod.ready", pod, ready });
  return { recorded: { ready, phase }, happenings };
}
