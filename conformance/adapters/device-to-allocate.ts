import { deviceIds, kubelet, selectDevices } from "@hooklet/plugin-devices/internal";
import type { Adapter } from "../adapter.js";
import { hold, knownKeys, managerOf, plug, podOf, sorted, toDevice, worldOf } from "./devices.js";

interface Input {
  readonly healthy: Readonly<Record<string, readonly string[]>>;
  readonly allocated: Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>>>;
  readonly pod: string;
  readonly container: string;
  readonly resource: string;
  readonly required: number;
  readonly reusable?: readonly string[];
  readonly sources_ready?: boolean;
  readonly running?: boolean;
}

interface Answer {
  readonly devices: readonly string[] | null;
  readonly error: string | null;
}

export const adapter: Adapter<Input> = {
  keys: ["allocated", "container", "healthy", "pod", "required", "resource", "reusable", "running", "sources_ready"],
  run(input): Answer {
    const { healthy, allocated, pod, container, resource, required, reusable, sources_ready, running, ...rest } = input;
    knownKeys(rest, []);
    const manager = managerOf(worldOf());
    for (const [name, ids] of Object.entries(healthy))
      plug(
        manager,
        name,
        ids.map((id) => toDevice({ id })),
      );
    for (const [uid, containers] of Object.entries(allocated)) {
      for (const [name, resources] of Object.entries(containers)) {
        for (const [what, ids] of Object.entries(resources)) hold(manager, uid, name, what, ids);
      }
    }
    const used = manager.records.inUse(resource);
    const record = manager.records.get(pod, container, resource);
    const selection = selectDevices({
      pod: podOf(pod, [{ name: container }]),
      container: { name: container },
      resource,
      required,
      had: record === undefined ? undefined : deviceIds(record.devices),
      known: manager.inventory.get(resource),
      taken: (id) => used.has(id),
      reusable: new Set(reusable),
      affinity: undefined,
      sourcesReady: sources_ready ?? true,
      running: running ?? false,
      canAsk: false,
      strategy: kubelet,
    });
    if (selection.kind === "failed") return { devices: null, error: selection.error };
    if (selection.kind === "nothing") return { devices: null, error: null };
    if (selection.kind === "ask") throw new Error("the plugin gives no preference");
    return { devices: sorted(selection.ids), error: null };
  },
};
