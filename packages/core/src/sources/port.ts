/**
 * A source delivers desired pods and takes statuses and events back. Pods of a manifest folder, a URL and the control
 * socket come this way; the Kubernetes API will come the same way. Nothing in the core asks where a pod came from
 * but by its annotation `kubernetes.io/config.source`.
 */

import type { Pod } from "@hooklet/manifest";
import type { Event } from "kubernetes-types/core/v1.js";

/** All pods that the source wants now; what is missing is to be stopped. Keyed by uid. */
export type DesiredPods = readonly Pod[];

export interface SourceSink {
  /** The source's whole set. Called whenever it changed, and once when it has been read for the first time. */
  desired(pods: DesiredPods): void;
  /** A manifest that cannot be used: one event and a log line naming file and line. Pods of other manifests are untouched. */
  fault(fault: SourceFault): void;
  /** A fault that is mended, by its `where`. */
  mended(where: string): void;
}

export interface SourceFault {
  /** File, URL or `control socket`, with `:line` where known. */
  readonly where: string;
  readonly message: string;
}

export interface PodSource {
  /** `file`, `http`, `api`: the value of the pods' annotation. */
  readonly name: string;
  /** Starts delivering. Resolves once the first whole set was delivered, or could not be had (fault). */
  start(sink: SourceSink): Promise<void>;
  /** The pod's new status; for sources that somebody reads remotely. */
  status?(pod: Pod): void;
  event?(event: Event): void;
  /** The pod has been stopped for good and is forgotten by the agent. */
  removed?(uid: string): void;
  stop(): Promise<void>;
}
