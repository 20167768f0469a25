import { sanitizeAllocatable } from "@hooklet/plugin-devices/internal";
import type { Adapter } from "../adapter.js";
import { knownKeys } from "./devices.js";

interface Input {
  readonly allocated: Readonly<Record<string, readonly string[]>>;
  readonly node_allocatable: Readonly<Record<string, number>>;
  /** A pod without devices leaves the node as it is. */
  readonly pod_known: boolean;
}

export const adapter: Adapter<Input> = {
  keys: ["allocated", "node_allocatable", "pod_known"],
  run({ allocated, node_allocatable, pod_known, ...rest }) {
    knownKeys(rest, []);
    const counts = Object.fromEntries(Object.entries(allocated).map(([resource, ids]) => [resource, ids.length]));
    return { node_allocatable: pod_known ? sanitizeAllocatable(node_allocatable, counts) : node_allocatable };
  },
};
