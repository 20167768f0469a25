/** What plugins say of a pod for its status. It holds until they say otherwise, also over restarts of its containers. Pure. */
import { isDeepStrictEqual } from "node:util";
import type { AllocatedResourceStatus, AppliedResources, PodCondition } from "../plugin/contract.js";

export interface Said {
  /** By container. */
  readonly applied: Readonly<Record<string, AppliedResources>>;
  /** By container, then by plugin, in order of their first saying. */
  readonly allocated: Readonly<Record<string, Readonly<Record<string, readonly AllocatedResourceStatus[]>>>>;
  /** By type, in order of their first setting. */
  readonly conditions: Readonly<Record<string, PodCondition>>;
}

export const nothingSaid: Said = { applied: {}, allocated: {}, conditions: {} };

export type SaidEvent =
  | { readonly type: "resourcesApplied"; readonly container: string; readonly resources: AppliedResources | undefined }
  | {
      readonly type: "resourcesAllocated";
      readonly container: string;
      readonly plugin: string;
      readonly status: readonly AllocatedResourceStatus[];
    }
  | {
      readonly type: "conditionSet";
      readonly condition: string;
      readonly state: PodCondition | undefined;
    };

/** The same object when nothing changes. */
export function nextSaid(said: Said, event: SaidEvent): Said {
  switch (event.type) {
    case "resourcesApplied":
      return changed(said, "applied", event.container, event.resources);
    case "resourcesAllocated":
      return changed(said, "allocated", event.container, allocatedBy(said.allocated[event.container] ?? {}, event));
    case "conditionSet":
      return changed(said, "conditions", event.condition, event.state);
  }
}

function allocatedBy(
  before: Said["allocated"][string],
  { plugin, status }: Extract<SaidEvent, { type: "resourcesAllocated" }>,
): Said["allocated"][string] | undefined {
  if (status.length > 0) return { ...before, [plugin]: status };
  const { [plugin]: gone, ...others } = before;
  return Object.keys(others).length === 0 ? undefined : others;
}

function changed<K extends keyof Said>(said: Said, part: K, key: string, value: Said[K][string] | undefined): Said {
  const { [key]: before, ...others } = said[part];
  if (isDeepStrictEqual(before, value)) return said;
  if (value === undefined) return { ...said, [part]: others };
  return { ...said, [part]: { ...said[part], [key]: value } };
}
