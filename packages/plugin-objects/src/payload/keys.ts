/** Files from the keys of a ConfigMap or Secret (the kubelet's configmap.MakePayload and secret.MakePayload). Pure. */
import type { ConfigMap, KeyToPath, Secret } from "kubernetes-types/core/v1.js";
import { type FilePayload, type Payload, PayloadError } from "./payload.js";

export interface KeysInput {
  readonly kind: "ConfigMap" | "Secret";
  readonly name: string;
  /** Undefined: there is none. */
  readonly object: ConfigMap | Secret | undefined;
  readonly items: readonly KeyToPath[];
  readonly mode: number;
  readonly optional: boolean;
}

/** @throws PayloadError for what is missing and not optional */
export function keysPayload({ kind, name, object, items, mode, optional }: KeysInput): Payload {
  if (object === undefined && !optional) throw new PayloadError(`${kind.toLowerCase()} "${name}" not found`);
  const values = kind === "ConfigMap" ? configMapValues(object as ConfigMap) : secretValues(object as Secret);
  if (items.length === 0) return new Map([...values].map(([key, data]) => [key, { data, mode }]));
  const files = new Map<string, FilePayload>();
  for (const { key, path, mode: own } of items) {
    const data = values.get(key);
    if (data !== undefined) files.set(path, { data, mode: own ?? mode });
    else if (!optional) throw new PayloadError(missingKey(kind, key));
  }
  return files;
}

function configMapValues(object: ConfigMap = {}): ReadonlyMap<string, Buffer> {
  return new Map([...decoded(object.binaryData), ...plain(object.data)]);
}

function secretValues(object: Secret = {}): ReadonlyMap<string, Buffer> {
  return new Map(decoded(object.data));
}

function plain(data: Readonly<Record<string, string>> = {}): [string, Buffer][] {
  return Object.entries(data).map(([key, text]) => [key, Buffer.from(text)]);
}

function decoded(data: Readonly<Record<string, string>> = {}): [string, Buffer][] {
  return Object.entries(data).map(([key, text]) => [key, Buffer.from(text, "base64")]);
}

function missingKey(kind: KeysInput["kind"], key: string): string {
  return kind === "ConfigMap"
    ? `configmap references non-existent config key: ${key}`
    : `references non-existent secret key: ${key}`;
}
