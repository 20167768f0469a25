/**
 * A source delivers desired pods and takes statuses and events back. Pods of a manifest folder, a URL and the control
 * socket come this way, and those of a cluster through a plugin (`ctx.addSource`). Core tells where a pod came from only
 * by its annotation `kubernetes.io/config.source`, which the source sets; the source's name is not that mark.
 */

import type { Pod, ProvidedKind } from "@hooklet/manifest";
import type { Event } from "kubernetes-types/core/v1.js";

export type { ProvidedKind };

/** All pods that the source wants now; what is missing is to be stopped. Keyed by uid. */
export type DesiredPods = readonly Pod[];

/** Single changes of what the source wants. Before the first whole set they are kept until it comes. */
export interface PodChanges {
  /** New, or another manifest for a uid that is known. `metadata.deletionTimestamp` set: to be stopped, within its grace period. */
  readonly set?: readonly Pod[];
  /** No longer wanted; gracePeriodSeconds in place of the pod's own. */
  readonly removed?: readonly { readonly uid: string; readonly gracePeriodSeconds?: number }[];
}

export interface SourceSink {
  /** What manifests may use because a plugin provides it: for `readManifest`. */
  readonly provided: ReadonlySet<ProvidedKind>;
  /** The source's whole set. Called once when it has been read for the first time, and whenever that is simplest. */
  desired(pods: DesiredPods): void;
  /** The changes since. Costs what changed, not what exists. */
  changed(changes: PodChanges): void;
  /** A manifest that cannot be used: one event and a log line naming file and line. Pods of other manifests are untouched. */
  fault(fault: SourceFault): void;
  /** A fault that is mended, by its `where`. */
  mended(where: string): void;
  /** The reader of the statuses is reachable again: failed statuses are sent now, without waiting for their back-off. */
  reachable(): void;
}

export interface SourceFault {
  /** File, URL or `control socket`, with `:line` where known. */
  readonly where: string;
  readonly message: string;
}

/** `final`: the pod is stopped for good; until this is taken, its name and uid are not free for another pod. */
export interface StatusReport {
  readonly pod: Pod;
  readonly final: boolean;
}

export interface PodSource {
  /** Unique among the sources of an agent: `manifests`, `manifestUrl`, `control`, `kube`. */
  readonly name: string;
  /** The file or URL of a pod's manifest, for people. */
  placeOf?(uid: string): string | undefined;
  /** Starts delivering. Resolves once the first whole set was delivered, or could not be had (fault). */
  start(sink: SourceSink): Promise<void>;
  /**
   * The pod's newest status, for sources with a remote reader. One call at a time for each pod, always with the latest;
   * a rejection is retried (1 s doubling to 30 s) with the status that is the latest then.
   */
  status?(report: StatusReport, signal: AbortSignal): Promise<void>;
  event?(event: Event): void;
  /** The pod has been stopped for good and is forgotten by the agent. */
  removed?(uid: string): void;
  stop(): Promise<void>;
}
