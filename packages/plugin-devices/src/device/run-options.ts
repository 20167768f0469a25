/** What a container gets for all its devices: the plugins' responses as one (podDevices.deviceRunContainerOptions). */

import type { ContainerPlan } from "@hooklet/core";
import type { AllocateResponse, DeviceMount, DeviceNode } from "./device.js";

export interface RunOptions {
  readonly envs: readonly { readonly name: string; readonly value: string }[];
  readonly mounts: readonly DeviceMount[];
  readonly devices: readonly DeviceNode[];
  readonly annotations: readonly { readonly name: string; readonly value: string }[];
  readonly cdiDevices: readonly string[];
  /** Settings that a later response has with another value: the first one is kept. */
  readonly conflicts: readonly Conflict[];
}

interface Conflict {
  /** `env FOO`, `device /dev/x`, `mount /data`, `annotation a`. */
  readonly field: string;
  readonly kept: string;
  readonly dropped: string;
}

/** Undefined: nothing was allocated to the container. */
export function runOptions(responses: readonly AllocateResponse[]): RunOptions | undefined {
  if (responses.length === 0) return undefined;
  const conflicts: Conflict[] = [];
  const firsts = <T>(kind: string, items: readonly T[], key: (item: T) => string, value: (item: T) => string): T[] => {
    const kept = new Map<string, T>();
    for (const item of items) {
      const name = key(item);
      const first = kept.get(name);
      if (first === undefined) kept.set(name, item);
      else if (value(first) !== value(item)) {
        conflicts.push({ field: `${kind} ${name}`, kept: value(first), dropped: value(item) });
      }
    }
    return [...kept.values()];
  };
  const pairs = (record: Readonly<Record<string, string>>) =>
    Object.entries(record).map(([name, value]) => ({ name, value }));
  const name = (one: { readonly name: string }): string => one.name;
  const value = (one: { readonly value: string }): string => one.value;
  const path = (one: { readonly containerPath: string }): string => one.containerPath;
  const host = (one: { readonly hostPath: string }): string => one.hostPath;
  return {
    envs: firsts(
      "env",
      responses.flatMap(({ envs }) => pairs(envs)),
      name,
      value,
    ),
    mounts: firsts(
      "mount",
      responses.flatMap(({ mounts }) => mounts),
      path,
      host,
    ),
    devices: firsts(
      "device",
      responses.flatMap(({ devices }) => devices),
      path,
      host,
    ),
    annotations: firsts(
      "annotation",
      responses.flatMap(({ annotations }) => pairs(annotations)),
      name,
      value,
    ),
    cdiDevices: [...new Set(responses.flatMap(({ cdiDevices }) => cdiDevices))],
    conflicts,
  };
}

// What plugins allocated, put into a container's plan.

/** @throws ClaimConflictError naming another owner, NodeAgentError INVALID for what no container can have */
export function applyOptions(
  plan: ContainerPlan,
  { envs, mounts, devices, annotations, cdiDevices }: RunOptions,
): void {
  for (const { name, value } of envs) plan.setEnv(name, value);
  for (const { containerPath, hostPath, readOnly } of mounts) {
    plan.addMount({ containerPath, hostPath, readonly: readOnly, selinuxRelabel: false, propagation: "PRIVATE" });
  }
  for (const device of devices) plan.addDevice(device);
  for (const { name, value } of annotations) plan.setAnnotation(name, value);
  for (const name of cdiDevices) plan.addCdiDevice(name);
}
