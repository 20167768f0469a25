import { placeOf } from "@hooklet/plugin-devices/internal";
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
    const chosen = affinity === null ? undefined : new Set(affinity);
    const ids = (place: ReturnType<typeof placeOf>): readonly string[] =>
      sorted(free.filter(({ nodes }) => placeOf(nodes, chosen) === place).map(({ id }) => id));
    return { aligned: ids("aligned"), unaligned: ids("unaligned"), no_topology: ids("no-topology") };
  },
  expected: (answer: Answer) => Object.fromEntries(Object.entries(answer).map(([name, ids]) => [name, sorted(ids)])),
};
