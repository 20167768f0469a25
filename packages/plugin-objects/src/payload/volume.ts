/** All files of a volume. A later source of a projected one wins over an earlier. Pure. */
import { errorText, type Pod, type Resources } from "@hooklet/core";
import type { ConfigMap, Secret, Volume, VolumeProjection } from "kubernetes-types/core/v1.js";
import { downwardPayload } from "./downward.js";
import { keysPayload } from "./keys.js";
import { needKey, sourcesOf } from "./needs.js";
import { commonUser } from "./owner.js";
import { aggregate, DEFAULT_MODE, type FilePayload, type Payload, PayloadError } from "./payload.js";

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
