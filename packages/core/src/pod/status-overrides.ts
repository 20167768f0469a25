/** What plugins say of a pod for its status. It holds until they say otherwise, also over restarts of its containers. Pure. */
import { isDeepStrictEqual } from "node:util";
import type { AllocatedResourceStatus, AppliedResources, PodCondition } from "../plugin/contract.js";

export interface StatusOverrides {
  /** By container. */
  readonly applied: Readonly<Record<string, AppliedResources>>;
  /** By container, then by plugin, in order of their first saying. */
  readonly allocated: Readonly<Record<string, Readonly<Record<string, readonly AllocatedResourceStatus[]>>>>;
  /** By type, in order of their first setting. */
  readonly conditions: Readonly<Record<string, PodCondition>>;
}

export const noOverrides: StatusOverrides = { applied: {}, allocated: {}, conditions: {} };

export type OverrideEvent =
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
export function nextOverrides(overrides: StatusOverrides, event: OverrideEvent): StatusOverrides {
  switch (event.type) {
    case "resourcesApplied":
      return changed(overrides, "applied", event.container, event.resources);
    case "resourcesAllocated":
      return changed(
        overrides,
        "allocated",
        event.container,
        allocatedBy(overrides.allocated[event.container] ?? {}, event),
      );
    case "conditionSet":
      return changed(overrides, "conditions", event.condition, event.state);
  }
}

function allocatedBy(
  before: StatusOverrides["allocated"][string],
  { plugin, status }: Extract<OverrideEvent, { type: "resourcesAllocated" }>,
): StatusOverrides["allocated"][string] | undefined {
  if (status.length > 0) return { ...before, [plugin]: status };
  const { [plugin]: gone, ...others } = before;
  return Object.keys(others).length === 0 ? undefined : others;
}

function changed<K extends keyof StatusOverrides>(
  overrides: StatusOverrides,
  part: K,
  key: string,
  value: StatusOverrides[K][string] | undefined,
): StatusOverrides {
  const { [key]: before, ...others } = overrides[part];
  if (isDeepStrictEqual(before, value)) return overrides;
  if (value === undefined) return { ...overrides, [part]: others };
  return { ...overrides, [part]: { ...overrides[part], [key]: value } };
}
