/** What `wait --for` waits for. */

import type { Pod } from "@hooklet/manifest";
import { invalid } from "@hooklet/utils";
import { valuesOf, valueText } from "../../print/jsonpath/evaluate.js";
import { parsePath } from "../../print/jsonpath/parse-path.js";
import { podObject } from "../../print/objects.js";

export interface Goal {
  /** Undefined: there is no such pod. */
  holds(pod: Pod | undefined): boolean;
  /** What is said of a pod that has come there. */
  readonly done: string;
  /** There need not be such a pod yet, or any more. */
  readonly withoutPod: boolean;
  /** Of a condition: its name. */
  readonly condition?: string;
}

/** `create`, `delete`, `condition=Ready`, `condition=Ready=false`, `jsonpath={.status.phase}=Running`. @throws NodeAgentError INVALID */
export function parseGoal(text: string): Goal {
  if (text === "delete") return { holds: (pod) => pod === undefined, done: "deleted", withoutPod: true };
  if (text === "create") return { holds: (pod) => pod !== undefined, done: "created", withoutPod: true };
  const [, condition, status = "true"] = /^condition=([^=]+)(?:=(.*))?$/.exec(text) ?? [];
  if (condition !== undefined) {
    const holds = (pod: Pod | undefined): boolean =>
      pod?.status?.conditions?.some(
        (one) =>
          one.type.toLowerCase() === condition.toLowerCase() && one.status.toLowerCase() === status.toLowerCase(),
      ) ?? false;
    return { holds, done: "condition met", withoutPod: false, condition };
  }
  const [, path, value] = /^jsonpath='?\{(.+?)\}'?(?:=(.*))?$/s.exec(text) ?? [];
  const fail = (expected: string): Error => invalid("--for", expected, text);
  if (path === undefined) throw fail("create, delete, condition=NAME[=STATUS] or jsonpath={PATH}[=VALUE]");
  const parsed = parsePath(path.trim(), fail);
  const holds = (pod: Pod | undefined): boolean => {
    const found = pod === undefined ? [] : valuesOf(parsed, podObject(pod));
    return value === undefined ? found.length > 0 : found.length === 1 && valueText(found[0]) === value;
  };
  return { holds, done: "condition met", withoutPod: false };
}
