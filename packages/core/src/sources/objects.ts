/**
 * ConfigMaps, Secrets and what else pods take from the API: of a cluster, where a plugin brings its pods from there, else of the
 * control socket (`hooklet apply -f`).
 */
import type { Pod } from "@hooklet/manifest";
import type { TokenRequestSpec, TokenReviewSpec, TokenReviewStatus } from "kubernetes-types/authentication/v1.js";
import type { SubjectAccessReviewSpec, SubjectAccessReviewStatus } from "kubernetes-types/authorization/v1.js";
import type { ConfigMap, Secret, Service } from "kubernetes-types/core/v1.js";

export type ObjectKind = "ConfigMap" | "Secret";

export interface ObjectName {
  readonly namespace: string;
  readonly name: string;
}

/** The object was added, changed, or deleted. */
export interface ObjectChange {
  readonly kind: ObjectKind;
  readonly name: ObjectName;
}

export interface ServiceAccountToken {
  readonly token: string;
  /** RFC 3339, by the clock of the issuer. */
  readonly expirationTimestamp: string;
  /** How long it lasts from its answer on, where that is known: the clocks of two machines need not agree. */
  readonly expirationSeconds?: number;
}

export interface ObjectSource {
  /** The newest copy. Undefined: there is none. The caller, which needs it for a pod's volumes and values, retries after a rejection. */
  read(kind: "ConfigMap", name: ObjectName, signal: AbortSignal): Promise<ConfigMap | undefined>;
  read(kind: "Secret", name: ObjectName, signal: AbortSignal): Promise<Secret | undefined>;
  /** Called after an object that a pod refers to changed. Returns what ends it. */
  watch(listener: (change: ObjectChange) => void): () => void;
  /** Undefined where tokens are not available. */
  createToken?(serviceAccount: ObjectName, spec: TokenRequestSpec, signal: AbortSignal): Promise<ServiceAccountToken>;
  /** Services of these namespaces, once they have been listed for the first time. Undefined where there are none. */
  services?(namespaces: readonly string[], signal: AbortSignal): Promise<readonly Service[]>;
}

/** Who may ask the agent's server for what. */
export interface Reviews {
  reviewToken(spec: TokenReviewSpec, signal: AbortSignal): Promise<TokenReviewStatus>;
  reviewAccess(spec: SubjectAccessReviewSpec, signal: AbortSignal): Promise<SubjectAccessReviewStatus>;
}

/** The certificate of the agent's server, where a signer issues it. */
export interface ServingCertificate {
  /** In PEM; undefined: not signed yet. */
  current(): { readonly cert: string; readonly key: string } | undefined;
  /** Called whenever it is another one. Returns what ends it. */
  watch(listener: () => void): () => void;
}

/** `ctx.objects` */
export interface ObjectsPort {
  /** Where the pod's objects come from: the plugin that brought the pod, where it provides objects; else the control socket. */
  of(pod: Pod): ObjectSource;
  /** Changes of all of them. Returns what ends it. */
  watch(listener: (change: ObjectChange) => void): () => void;
  /** What was applied through the control socket. */
  applied(): readonly (ConfigMap | Secret)[];
}
