/**
 * Names that become folders, labels of the runtime and arguments of other programs, by Kubernetes' rules. Pods of a source and
 * pods of a runtime both pass here: what one side accepts, the other does. Pure.
 */
import { dns1123Label, dns1123Subdomain, podUid } from "./names.js";

export type NameCheck = (value: string) => readonly string[];

export const podNameRules = {
  name: dns1123Subdomain,
  namespace: dns1123Label,
  uid: podUid,
  container: dns1123Label,
} as const satisfies Record<string, NameCheck>;

export function isName(value: unknown, rule: keyof typeof podNameRules): value is string {
  return typeof value === "string" && value !== "" && podNameRules[rule](value).length === 0;
}

const LISTS = ["containers", "initContainers", "ephemeralContainers", "volumes"] as const;

/**
 * The first name of a pod that breaks the rules, with its path and value; undefined when all keep them. Accepts fields
 * of any type: an API server may send anything.
 */
export function wrongName({
  metadata,
  spec,
}: {
  readonly metadata?: object;
  readonly spec?: object;
}): string | undefined {
  const named = (metadata ?? {}) as Readonly<Record<string, unknown>>;
  for (const field of ["name", "namespace", "uid"] as const) {
    if (!isName(named[field], field)) return nameFault(`metadata.${field}`, named[field], field);
  }
  const lists = (spec ?? {}) as Readonly<Record<string, unknown>>;
  for (const list of LISTS) {
    const wrong = wrongInList(lists[list], `spec.${list}`);
    if (wrong !== undefined) return wrong;
  }
  return undefined;
}

function wrongInList(list: unknown, path: string): string | undefined {
  if (list === undefined || list === null) return undefined;
  if (!Array.isArray(list)) return `${path} is no list`;
  for (const [index, entry] of list.entries()) {
    const name: unknown =
      typeof entry === "object" && entry !== null ? (entry as { readonly name?: unknown }).name : entry;
    if (!isName(name, "container")) return nameFault(`${path}[${index}].name`, name, "container");
  }
  return undefined;
}

/** Characters of a value that are shown. */
const SHOWN = 100;

function nameFault(path: string, value: unknown, rule: keyof typeof podNameRules): string {
  const text = typeof value === "string" ? value : typeof value;
  const shown = JSON.stringify(text.length > SHOWN ? `${text.slice(0, SHOWN)}...` : text);
  const why = typeof value === "string" && value !== "" ? podNameRules[rule](value)[0] : "expected a name";
  return `${path} ${shown}: ${why}`;
}
