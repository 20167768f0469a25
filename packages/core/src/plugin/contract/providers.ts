/** Values and volumes from elsewhere (a cluster, files): provided by plugins; without a provider they are refused by name. */

import type { PullCredentials } from "@hooklet/cri-api";
import type { Pod, ProvidedKind } from "@hooklet/manifest";
import type { Volume } from "kubernetes-types/core/v1.js";
import type { ObjectSource, Reviews, ServingCertificate } from "../../sources/objects.js";

export type { ProvidedKind, PullCredentials };

/** A ConfigMap or Secret as env reads it. */
export interface KeyedValues {
  /** Texts by key; of a Secret decoded. */
  readonly data: Readonly<Record<string, string>>;
}

export interface ValueProvider {
  readonly kinds: readonly ("configMapKeyRef" | "secretKeyRef")[];
  /** Undefined: there is no such object. Rejections are retried and shown as CreateContainerConfigError. */
  get(
    kind: "ConfigMap" | "Secret",
    name: { readonly namespace: string; readonly name: string },
    pod: Pod,
    signal: AbortSignal,
  ): Promise<KeyedValues | undefined>;
  /** Environment variables of services, below the container's own. */
  serviceEnv?(pod: Pod, signal: AbortSignal): Promise<Readonly<Record<string, string>>>;
}

export interface VolumeProvider {
  readonly kinds: readonly ProvidedKind[];
  /**
   * Fills the volume's directory (made by core, below the pod's) before the first container starts and again after a restart
   * of the agent. Rejections are events FailedMount and are retried. Returns another host path to mount in its place, or nothing.
   */
  prepare(pod: Pod, volume: Volume, directory: string, signal: AbortSignal): Promise<string | undefined>;
  /** Before core removes the directory. */
  release?(pod: Pod, volume: Volume, directory: string): Promise<void>;
}

export interface CredentialProvider {
  /** Credentials for an image of a pod, most specific first; each is tried. */
  credentials(pod: Pod, image: string, signal: AbortSignal): Promise<readonly PullCredentials[]>;
}

/** For `start` only; two providers of one kind are an error naming both, but for credentials: those of all are tried. */
export interface Providers {
  values(provider: ValueProvider): void;
  volumes(provider: VolumeProvider): void;
  credentials(provider: CredentialProvider): void;
  /** Says that the plugin sets these conditions: pods may name them as readiness gates. `*`: any. */
  readinessGates(types: readonly string[]): void;
  /** For the pods of the sources that this plugin adds. */
  objects(source: ObjectSource): void;
  /** Authentication and authorization of clients of the server. */
  reviews(reviews: Reviews): void;
  /** In place of a certificate that the server signs itself. */
  servingCertificate(certificate: ServingCertificate): void;
}
