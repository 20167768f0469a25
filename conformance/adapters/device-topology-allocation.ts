import { deviceIds } from "@hooklet/plugin-devices/internal";
import type { Adapter } from "../adapter.js";
import { knownKeys, managerOf, only, plug, podOf, type RawDevice, toDevice, toDevices, worldOf } from "./devices.js";

interface Generated {
  readonly prefix: string;
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  readonly numa?: number;
}

type RawDevices = Readonly<Record<string, Omit<RawDevice, "id">>> | { readonly generated: readonly Generated[] };

interface Input {
  readonly resource: string;
  readonly request: number;
  readonly devices: RawDevices;
  readonly affinity: readonly number[];
  readonly preferred_reply?: readonly string[];
}

interface Answer {
  readonly count: number;
  readonly per_numa: Readonly<Record<string, number>>;
  readonly ids: readonly string[];
}

export const adapter: Adapter<Input> = {
  async run({ resource, request, devices: raw, affinity, preferred_reply, ...rest }): Promise<Answer> {
    knownKeys(rest, []);
    const devices = devicesOf(raw);
    const manager = managerOf(worldOf());
    plug(manager, resource, devices, { preferred: () => preferred_reply });
    const pod = podOf("pod", [{ name: "c", limits: { [resource]: request } }]);
    const [container] = pod.spec.containers;
    if (container === undefined) throw new Error("no container");
    manager.setAffinity("pod", "c", affinity);
    await manager.allocate(pod, container);
    const record = manager.records.get("pod", "c", resource);
    const ids = record === undefined ? [] : deviceIds(record.devices);
    const counts: Record<string, number> = {};
    for (const { id, nodes } of devices) {
      if (ids.includes(id)) for (const node of nodes) counts[node] = (counts[node] ?? 0) + 1;
    }
    return { count: ids.length, per_numa: counts, ids };
  },
  /** Of the ids, those that must be there. */
  part: ({ ids, ...answer }: Answer, expected: { readonly includes?: readonly string[] }) =>
    only({ ...answer, includes: (expected.includes ?? []).filter((id) => ids.includes(id)) }, expected),
};

function devicesOf(raw: RawDevices) {
  if (!("generated" in raw)) return toDevices(raw as Readonly<Record<string, Omit<RawDevice, "id">>>);
  return (raw.generated as readonly Generated[]).flatMap(({ prefix, from, to, numa = null }) =>
    Array.from({ length: to - from }, (_, index) => toDevice({ id: `${prefix}${from + index}`, numa })),
  );
}
