import { filterDevices } from "@hooklet/plugin-devices/internal";
import type { Adapter } from "../adapter.js";
import { knownKeys } from "./devices.js";

type Instances = Readonly<Record<string, Readonly<Record<string, string>>>>;

interface Input {
  readonly devices: Instances;
  readonly condition: Readonly<Record<string, readonly string[]>>;
}

export const adapter: Adapter<Input> = {
  keys: ["devices", "condition"],
  run({ devices, condition, ...rest }) {
    knownKeys(rest, []);
    const lists = Object.entries(devices).map(
      ([resource, own]) => [resource, Object.entries(own).map(([id, value]) => ({ id, value }))] as const,
    );
    const wanted = new Map(Object.entries(condition).map(([resource, ids]) => [resource, new Set(ids)]));
    const found = [...filterDevices(new Map(lists), wanted)].map(([resource, own]) => [
      resource,
      Object.fromEntries((own as readonly { id: string; value: string }[]).map(({ id, value }) => [id, value])),
    ]);
    return { devices: Object.fromEntries(found) };
  },
};
