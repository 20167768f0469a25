import { filterByAffinity } from "@hooklet/plugin-devices";
import type { Adapter } from "../adapter.js";
import { knownKeys, type RawDevice, sorted, toDevices } from "./devices.js";

interface Input {
  readonly devices: Readonly<Record<string, Omit<RawDevice, "id">>>;
  readonly available: readonly string[];
  readonly affinity: readonly number[] | null;
}

type Answer = Readonly<Record<"aligned" | "unaligned" | "no_topology", readonly string[]>>;

export const adapter: Adapter<Input> = {
  keys: ["devices", "available", "affinity"],
  run({ devices: raw, available, affinity, ...rest }): Answer {
    knownKeys(rest, []);
    const devices = toDevices(raw);
    const free = devices.filter(({ id }) => available.includes(id));
    const aligns = devices.some(({ nodes }) => nodes.length > 0);
    const { aligned, unaligned, noTopology } = filterByAffinity(free, affinity ?? undefined, aligns);
    return { aligned: sorted(aligned), unaligned: sorted(unaligned), no_topology: sorted(noTopology) };
  },
  expected: (answer: Answer) => Object.fromEntries(Object.entries(answer).map(([name, ids]) => [name, sorted(ids)])),
};
