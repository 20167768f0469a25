import { type Result, ResultCache } from "@hooklet/plugin-probe/internal";
import type { Adapter } from "../adapter.js";

type Operation = ["get", string] | ["set", string, Result] | ["remove", string];

export const adapter: Adapter<{ readonly ops: readonly Operation[] }> = {
  keys: ["ops"],
  run({ ops }) {
    const cache = new ResultCache();
    const get: (Result | null)[] = [];
    const updates: [string, Result][] = [];
    for (const [operation, id, result] of ops) {
      if (operation === "get") get.push(cache.get(id) ?? null);
      else if (operation === "remove") cache.remove(id);
      else if (cache.set(id, result)) updates.push([id, result]);
    }
    return { get, updates };
  },
  part: (answer: Readonly<Record<string, unknown>>, expected: object) =>
    Object.fromEntries(Object.keys(expected).map((key) => [key, answer[key]])),
};
