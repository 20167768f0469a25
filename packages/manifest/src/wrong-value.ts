/**
 * Values that no API server takes, in pods that come without the manifest reader: a number where a text belongs, an id beyond the kernel's.
 * Types, bounds of whole numbers and what no kernel starts: fields that hooklet does not know are another version's.
 */
import type { Container } from "kubernetes-types/core/v1.js";
import { neverStarts } from "./exec-size.js";
import { isRecord } from "./is-record.js";
import { MAX_ANNOTATION_BYTES, MAX_ID } from "./names.js";
import { providedKinds } from "./provided.js";
import { podShape } from "./schema/pod-shape.js";
import type { Shape } from "./shape.js";

const IDS: ReadonlySet<string> = new Set(["runAsUser", "runAsGroup", "fsGroup", "supplementalGroups"]);

/**
 * The first value of another type than Kubernetes has there, or out of its bounds, with its path; undefined when there is none. Any
 * int64 is fine where Kubernetes takes it: its users limit it.
 */
export function wrongValue(pod: object): string | undefined {
  const shape = podShape(new Set(providedKinds));
  return wrong(pod, shape, "") ?? ephemeral(pod, shape) ?? long(pod) ?? unstartable(pod);
}

/** Ephemeral containers come while the pod runs, and cost themselves alone. */
function unstartable({ spec = {} }: { readonly spec?: object }): string | undefined {
  const lists = spec as { readonly [list in "initContainers" | "containers"]?: readonly Container[] | null };
  for (const list of ["initContainers", "containers"] as const) {
    const found = first((lists[list] ?? []).entries(), (index, container) => {
      const why = neverStarts(container);
      return why && `spec.${list}[${index}]: ${why}`;
    });
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A runtime tells labels and annotations in each of its lists, which have an end. */
function long({
  metadata = {},
}: {
  readonly metadata?: { readonly labels?: object; readonly annotations?: object };
}): string | undefined {
  for (const field of ["labels", "annotations"] as const) {
    const bytes = Object.entries(metadata[field] ?? {}).reduce(
      (sum, [key, value]) => sum + Buffer.byteLength(key) + Buffer.byteLength(String(value)),
      0,
    );
    if (bytes > MAX_ANNOTATION_BYTES)
      return `metadata.${field}: ${bytes} bytes, expected at most ${MAX_ANNOTATION_BYTES}`;
  }
  return undefined;
}

/** The shape of manifests refuses them, and they have the fields of containers. */
function ephemeral(pod: object, shape: Shape): string | undefined {
  const spec = field(shape, "spec");
  const containers = spec && field(spec, "containers");
  const given: unknown = (pod as { readonly spec?: { readonly ephemeralContainers?: unknown } }).spec
    ?.ephemeralContainers;
  return containers && wrong(given, containers, "spec.ephemeralContainers");
}

function field(shape: Shape, name: string): Shape | undefined {
  return shape.is === "object" ? shape.fields[name] : undefined;
}

function wrong(value: unknown, shape: Shape, path: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  switch (shape.is) {
    case "text":
      return typeof value === "string" ? undefined : faultText(path, "a text", value);
    case "flag":
      return typeof value === "boolean" ? undefined : faultText(path, "true or false", value);
    case "quantity":
      return typeof value === "string" || Number.isFinite(value) ? undefined : faultText(path, "a quantity", value);
    case "portRef":
      if (typeof value === "string") return undefined;
      return isWithin(value, 0, 2 ** 31 - 1) ? undefined : faultText(path, "a port's number or name", value);
    case "integer":
      return integer(value, shape, path);
    case "list":
      if (!Array.isArray(value)) return faultText(path, "a list", value);
      return first(value.entries(), (index, one) =>
        one === null ? `${path}[${index}]: expected a value, found null` : wrong(one, shape.of, `${path}[${index}]`),
      );
    case "map":
      if (!isRecord(value)) return faultText(path, "a map", value);
      return first(Object.entries(value), (key, one) =>
        wrong(one, shape.of, `${path}[${JSON.stringify(key.slice(0, SHOWN))}]`),
      );
    case "object":
      if (!isRecord(value)) return faultText(path, "an object", value);
      return first(Object.entries(shape.fields), (name, inner) =>
        wrong(value[name], inner, path === "" ? name : `${path}.${name}`),
      );
    default:
      return undefined;
  }
}

function integer(
  value: unknown,
  { min, max }: { readonly min: number; readonly max: number },
  path: string,
): string | undefined {
  const name =
    path
      .replace(/\[\d+\]$/, "")
      .split(".")
      .at(-1) ?? "";
  if (IDS.has(name))
    return isWithin(value, 0, MAX_ID) ? undefined : faultText(path, `a number from 0 to ${MAX_ID}`, value);
  // Go's int64 goes beyond what JavaScript counts exactly.
  const isWide = max > 2 ** 31;
  if (isWide ? isWithin(value, -(2 ** 63), 2 ** 63) : isWithin(value, min, max)) return undefined;
  return faultText(path, isWide ? "a whole number of 64 bits" : "a whole number of 32 bits", value);
}

function isWithin(value: unknown, min: number, max: number): boolean {
  return Number.isInteger(value) && (value as number) >= min && (value as number) <= max;
}

function first<K, V>(
  entries: Iterable<readonly [K, V]>,
  look: (key: K, value: V) => string | undefined,
): string | undefined {
  for (const [key, value] of entries) {
    const found = look(key, value);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Characters of a value that are shown. */
const SHOWN = 64;

function faultText(path: string, expected: string, value: unknown): string {
  const found = typeof value === "number" ? String(value) : Array.isArray(value) ? "a list" : typeof value;
  return `${path}: expected ${expected}, found ${found}`;
}
