/** Whether another spec of a running pod is a resize, and of which containers (KEP-1287). Pure. */
import { allContainers, type Container, type Pod } from "@hooklet/core";
import { computeQosClass } from "@hooklet/core/rules";
import { isRecord } from "@hooklet/core/subsystem";

export interface ContainerResize {
  readonly before: Container;
  readonly after: Container;
  /** Its resizePolicy requires a restart for one of the changed resources. */
  readonly restart: boolean;
}

const RESIZABLE = ["cpu", "memory"] as const;

/**
 * The containers whose cpu or memory changed; undefined when anything else did, when the QoS class would change, or when a limit is removed:
 * the kubelet refuses that ("resource limits cannot be removed"), here the pod is replaced.
 */
export function resizeOf(before: Pod, after: Pod): readonly ContainerResize[] | undefined {
  if (canonical(withoutAmounts(before.spec)) !== canonical(withoutAmounts(after.spec))) return undefined;
  if (computeQosClass(before) !== computeQosClass(after)) return undefined;
  const pairs = allContainers(before).map((container, index) => [container, allContainers(after)[index]] as const);
  if (pairs.some(([old, now]) => now !== undefined && losesLimit(old, now))) return undefined;
  const changes = pairs.flatMap(([old, now]): ContainerResize[] => {
    if (now === undefined) return [];
    const changed = RESIZABLE.filter(
      (resource) => canonical(amountsOf(old, resource)) !== canonical(amountsOf(now, resource)),
    );
    if (changed.length === 0) return [];
    return [{ before: old, after: now, restart: changed.some((resource) => needsRestart(now, resource)) }];
  });
  return changes.length === 0 ? undefined : changes;
}

function losesLimit({ resources: old }: Container, { resources: now }: Container): boolean {
  return RESIZABLE.some((resource) => old?.limits?.[resource] !== undefined && now?.limits?.[resource] === undefined);
}

function needsRestart({ resizePolicy }: Container, resource: string): boolean {
  return resizePolicy?.find(({ resourceName }) => resourceName === resource)?.restartPolicy === "RestartContainer";
}

function amountsOf({ resources }: Container, resource: string): unknown {
  return [resources?.requests?.[resource], resources?.limits?.[resource]].map((text) => text ?? null);
}

function withoutAmounts(spec: Pod["spec"]): unknown {
  const bare = (container: Container): unknown => {
    const { requests, limits, ...rest } = container.resources ?? {};
    return { ...container, resources: { ...rest, requests: others(requests), limits: others(limits) } };
  };
  return { ...spec, containers: spec.containers.map(bare), initContainers: (spec.initContainers ?? []).map(bare) };
}

function others(amounts: Readonly<Record<string, string>> = {}): Record<string, string> {
  return Object.fromEntries(
    Object.entries(amounts).filter(([resource]) => !RESIZABLE.some((name) => name === resource)),
  );
}

/** The same text for the same value, with keys in any order. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    isRecord(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
}
