import { nodesById } from "@hooklet/plugin-devices/internal";
import type { Adapter } from "../adapter.js";
import { knownKeys, only } from "./devices.js";

interface Input {
  /** Ids by NUMA node. */
  readonly allocation: Readonly<Record<string, readonly string[]>>;
}

export const adapter: Adapter<Input> = {
  keys: ["allocation", "allocated", "queries"],
  run({ allocation, ...rest }) {
    knownKeys(rest, []);
    const byNode = new Map(Object.entries(allocation).map(([node, ids]) => [Number(node), ids]));
    const devices = [...nodesById(byNode)].map(([id, nodes]) => [id, { numa: nodes.length === 0 ? null : nodes }]);
    return { devices: Object.fromEntries(devices), resource_listed: devices.length > 0 };
  },
  part: only,
};
