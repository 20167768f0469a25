/** Resizes that wait, as they are remembered over a restart: what each pod really has. Pure. */
import { allContainers, type Container, type OptionsSchema, type Pod } from "@hooklet/core";
import type { ResizeRefusal, WaitingResize } from "./resize-rules.js";

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

/** By the pod's uid. */
export type SavedResizes = Readonly<Record<string, SavedResize>>;

export const savedResizes: OptionsSchema<SavedResizes> = (z) => {
  const amounts = z.record(z.string(), z.string());
  return z.record(
    z.string(),
    z.object({
      since: z.number(),
      refusal: z.object({ reason: z.enum(["Deferred", "Infeasible"]), message: z.string() }).optional(),
      containers: z.record(z.string(), z.object({ requests: amounts, limits: amounts })),
    }),
  ) as never;
};

export function resizesToSave(waiting: ReadonlyMap<string, WaitingResize>): SavedResizes {
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
