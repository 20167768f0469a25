/** The objects and tokens that a volume needs. Pure. */
import type { Pod } from "@hooklet/core";
import type { ObjectKind } from "@hooklet/core/subsystem";
import type { TokenRequestSpec } from "kubernetes-types/authentication/v1.js";
import type { ServiceAccountTokenProjection, Volume, VolumeProjection } from "kubernetes-types/core/v1.js";

export interface ObjectNeed {
  readonly kind: ObjectKind;
  readonly name: string;
}

export interface VolumeNeeds {
  readonly objects: readonly ObjectNeed[];
  readonly tokens: readonly ServiceAccountTokenProjection[];
  /** It says what the pod says: it changes with the pod. */
  readonly downward: boolean;
}

export function volumeNeeds(volume: Volume): VolumeNeeds {
  const sources = sourcesOf(volume);
  const objects = sources.flatMap(({ configMap, secret }): ObjectNeed[] => {
    if (configMap !== undefined) return [{ kind: "ConfigMap", name: configMap.name ?? "" }];
    return secret === undefined ? [] : [{ kind: "Secret", name: secret.name ?? "" }];
  });
  return {
    objects: [...new Map(objects.map((one) => [needKey(one), one])).values()],
    tokens: sources.flatMap(({ serviceAccountToken }) => serviceAccountToken ?? []),
    downward: sources.some(({ downwardAPI }) => downwardAPI !== undefined),
  };
}

export function needKey({ kind, name }: ObjectNeed): string {
  return `${kind}/${name}`;
}

/** Each volume as the list of what a projected one would have. */
export function sourcesOf({ configMap, secret, downwardAPI, projected }: Volume): readonly VolumeProjection[] {
  if (configMap !== undefined) return [{ configMap }];
  if (secret !== undefined) {
    const { secretName, items, optional } = secret;
    return [
      {
        secret: {
          ...(secretName !== undefined && { name: secretName }),
          ...(items !== undefined && { items }),
          ...(optional !== undefined && { optional }),
        },
      },
    ];
  }
  if (downwardAPI !== undefined) return [{ downwardAPI }];
  return projected?.sources ?? [];
}

/** The request that gets the token, bound to the pod. */
export function tokenRequest(pod: Pod, token: ServiceAccountTokenProjection): TokenRequestSpec {
  return {
    audiences: token.audience ? [token.audience] : [],
    expirationSeconds: token.expirationSeconds ?? 3600,
    boundObjectRef: { apiVersion: "v1", kind: "Pod", name: pod.metadata.name, uid: pod.metadata.uid },
  };
}
