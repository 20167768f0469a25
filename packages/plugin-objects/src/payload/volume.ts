/** All files of a volume. A later source of a projected one wins over an earlier. Pure. */

import { errorText, type Pod, type Resources } from "@hooklet/core";
import { metadataValue, resourceValue } from "@hooklet/core/rules";
import type {
  ConfigMap,
  DownwardAPIVolumeFile,
  KeyToPath,
  Secret,
  Volume,
  VolumeProjection,
} from "kubernetes-types/core/v1.js";
import { needKey, sourcesOf } from "./needs.js";
import { aggregate, commonUser, DEFAULT_MODE, type FilePayload, type Payload, PayloadError } from "./payload.js";

export interface VolumeFacts {
  /** By `needKey`; what is missing is not there. An error: it could not be had. */
  readonly objects: ReadonlyMap<string, ConfigMap | Secret | Error | undefined>;
  /** In the order of the volume's token sources. */
  readonly tokens: readonly (string | Error)[];
  readonly allocatable: Resources;
}

/** @throws PayloadError telling of every source that has a fault */
export function volumePayload(pod: Pod, volume: Volume, facts: VolumeFacts): Payload {
  const mode =
    (volume.configMap ?? volume.secret ?? volume.downwardAPI ?? volume.projected)?.defaultMode ?? DEFAULT_MODE;
  const files = new Map<string, FilePayload>();
  const errors: Error[] = [];
  const tokens = [...facts.tokens];
  for (const source of sourcesOf(volume)) {
    try {
      for (const [path, file] of sourcePayload(pod, source, mode, facts, tokens)) files.set(path, file);
    } catch (error) {
      errors.push(error instanceof Error ? error : new PayloadError(errorText(error)));
    }
  }
  const error = aggregate(errors);
  if (error !== undefined) throw error;
  return files;
}

function sourcePayload(
  pod: Pod,
  source: VolumeProjection,
  mode: number,
  { objects, allocatable }: VolumeFacts,
  tokens: (string | Error)[],
): Payload {
  const { configMap, secret, downwardAPI, serviceAccountToken } = source;
  const keyed = configMap ?? secret;
  if (keyed !== undefined) {
    const kind = configMap === undefined ? "Secret" : "ConfigMap";
    const name = keyed.name ?? "";
    const object = objects.get(needKey({ kind, name }));
    if (object instanceof Error) throw object;
    return keysPayload({ kind, name, object, items: keyed.items ?? [], mode, optional: keyed.optional === true });
  }
  if (downwardAPI !== undefined) return downwardPayload(pod, downwardAPI.items ?? [], mode, allocatable);
  if (serviceAccountToken !== undefined) {
    const token = tokens.shift() ?? new PayloadError("there is no token");
    if (token instanceof Error) throw token;
    return new Map([[serviceAccountToken.path, tokenFile(pod, token, mode)]]);
  }
  const [kind = "nothing"] = Object.keys(source);
  throw new PayloadError(`projected volumes of ${kind} are not supported by hooklet`);
}

/** Read by its owner alone where there is one; an fsGroup is let in afterwards. */
function tokenFile(pod: Pod, token: string, mode: number): FilePayload {
  const owner = commonUser(pod);
  const isPrivate = owner !== undefined || pod.spec.securityContext?.fsGroup !== undefined;
  return { data: Buffer.from(token), mode: isPrivate ? 0o600 : mode, ...(owner !== undefined && { owner }) };
}

// Files from the keys of a ConfigMap or Secret (the kubelet's configmap.MakePayload and secret.MakePayload).

interface KeysInput {
  readonly kind: "ConfigMap" | "Secret";
  readonly name: string;
  /** Undefined: there is none. */
  readonly object: ConfigMap | Secret | undefined;
  readonly items: readonly KeyToPath[];
  readonly mode: number;
  readonly optional: boolean;
}

/** @throws PayloadError for what is missing and not optional */
function keysPayload({ kind, name, object, items, mode, optional }: KeysInput): Payload {
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

// Files of the downward API (the kubelet's downwardapi.CollectData).

/**
 * @param allocatable stands in for limits that a container does not set
 * @throws PayloadError naming every item that has no value
 */
function downwardPayload(
  pod: Pod,
  items: readonly DownwardAPIVolumeFile[],
  mode: number,
  allocatable: Resources,
): Payload {
  const files = new Map<string, FilePayload>();
  const errors: Error[] = [];
  for (const { path, mode: own, fieldRef, resourceFieldRef } of items) {
    try {
      const text =
        fieldRef === undefined
          ? resourceValue(pod, undefined, resourceFieldRef ?? { resource: "" }, allocatable)
          : metadataValue(pod, fieldRef.fieldPath);
      files.set(path, { data: Buffer.from(text), mode: own ?? mode });
    } catch (error) {
      errors.push(new PayloadError(errorText(error)));
    }
  }
  const error = aggregate(errors);
  if (error !== undefined) throw error;
  return files;
}
