/**
 * A pod for clients that may know that it runs, but not its data: values that may be secret are masked, and everything else stays.
 * Masked are values of env, words of commands (of containers, probes and lifecycle hooks), values of HTTP headers, queries of HTTP
 * probes and hooks, and annotations that are not Kubernetes' own marks (kubectl keeps whole manifests in one). Pure.
 */
import type { Pod } from "@hooklet/manifest";

export const MASKED = "<masked>";

const OWN_ANNOTATIONS = "kubernetes.io/config.";

const words = ["command", "args"];

/** The pod without its values. The same object gives the same object. */
export function withoutValues(pod: Pod): Pod {
  const known = masked.get(pod);
  if (known !== undefined) return known;
  const { annotations, ...metadata } = pod.metadata;
  const shown: Pod = {
    ...pod,
    metadata: { ...metadata, ...(annotations !== undefined && { annotations: maskedAnnotations(annotations) }) },
    spec: maskedPart(pod.spec) as Pod["spec"],
  };
  masked.set(pod, shown);
  return shown;
}

const masked = new WeakMap<Pod, Pod>();

function maskedAnnotations(annotations: Readonly<Record<string, string>>): Record<string, string> {
  return mapEntries(annotations, (name, value) => (name.startsWith(OWN_ANNOTATIONS) ? value : MASKED));
}

/** `env` and `httpHeaders` are lists of {name, value}; `command` and `args` lists of words, anywhere in a spec. */
function maskedPart(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(maskedPart);
  if (typeof part !== "object" || part === null) return part;
  return mapEntries(part as Record<string, unknown>, (name, value) => {
    if (words.includes(name) && Array.isArray(value)) return value.map(() => MASKED);
    if ((name === "env" || name === "httpHeaders") && Array.isArray(value)) return value.map(maskedEntry);
    return name === "httpGet" ? withoutQuery(maskedPart(value)) : maskedPart(value);
  });
}

function maskedEntry(entry: unknown): unknown {
  if (typeof entry !== "object" || entry === null || !("value" in entry)) return entry;
  return { ...entry, value: MASKED };
}

function withoutQuery(request: unknown): unknown {
  if (typeof request !== "object" || request === null || !("path" in request)) return request;
  const { path } = request;
  return typeof path === "string" ? { ...request, path: path.replace(/\?.*$/s, `?${MASKED}`) } : request;
}

function mapEntries<T>(values: Readonly<Record<string, T>>, of: (name: string, value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, of(name, value)]));
}
