/** Resizes that wait, as they are remembered over a restart: what each pod really has. Pure. */
import { allContainers, type Container, isRecord, type Json, type Pod } from "@hooklet/core";
import type { WaitingResize } from "./order.js";
import type { ResizeRefusal } from "./refusal.js";

type Amounts = Readonly<Record<string, string>>;

/** What one container has. */
interface Applied {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

export interface SavedResize {
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly refusal?: ResizeRefusal;
  readonly containers: Readonly<Record<string, Applied>>;
}

export type SavedResizes = ReadonlyMap<string, SavedResize>;

export function encodeResizes(waiting: ReadonlyMap<string, WaitingResize>): Json {
  return Object.fromEntries(
    [...waiting].map(([uid, { before, since, refusal }]) => {
      const containers = allContainers(before).map(({ name, resources }) => {
        const { requests = {}, limits = {} } = resources ?? {};
        return [name, { requests: { ...requests }, limits: { ...limits } }] as const;
      });
      return [uid, { since, ...(refusal && { refusal: { ...refusal } }), containers: Object.fromEntries(containers) }];
    }),
  );
}

/** Nothing of what is not as this plugin writes it. */
export function decodeResizes(saved: Json | undefined): SavedResizes {
  const found = new Map<string, SavedResize>();
  if (!isRecord(saved)) return found;
  for (const [uid, one] of Object.entries(saved)) {
    if (!isRecord(one) || typeof one.since !== "number" || !isRecord(one.containers)) continue;
    const containers = Object.entries(one.containers).flatMap(([name, applied]) =>
      isRecord(applied) && isAmounts(applied.requests) && isAmounts(applied.limits)
        ? [[name, { requests: applied.requests, limits: applied.limits }] as const]
        : [],
    );
    const refusal = refusalOf(one.refusal);
    found.set(uid, { since: one.since, ...(refusal && { refusal }), containers: Object.fromEntries(containers) });
  }
  return found;
}

/** The pod with the amounts that its containers really have. */
export function asApplied(pod: Pod, { containers }: SavedResize): Pod {
  const withOwn = (container: Container): Container => {
    const applied = containers[container.name];
    return applied === undefined ? container : { ...container, resources: { ...container.resources, ...applied } };
  };
  const { initContainers } = pod.spec;
  return {
    ...pod,
    spec: {
      ...pod.spec,
      containers: pod.spec.containers.map(withOwn),
      ...(initContainers !== undefined && { initContainers: initContainers.map(withOwn) }),
    },
  };
}

function refusalOf(saved: Json | undefined): ResizeRefusal | undefined {
  if (!isRecord(saved) || typeof saved.message !== "string") return undefined;
  const { reason, message } = saved;
  return reason === "Deferred" || reason === "Infeasible" ? { reason, message } : undefined;
}

function isAmounts(value: Json | undefined): value is { readonly [key: string]: string } {
  return isRecord(value) && Object.values(value).every((text) => typeof text === "string");
}
