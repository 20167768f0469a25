import type {
  AllocatedResourceStatus,
  AppliedResources,
  ContainerRef,
  EventType,
  Eviction,
  PodCondition,
  RestartRequest,
} from "@hooklet/core";

/** An event that a plugin recorded. */
export interface RecordedEvent {
  readonly at: number;
  /** The pod's name; undefined for an event of the node. */
  readonly pod?: string;
  readonly container?: string;
  readonly type: EventType;
  readonly reason: string;
  readonly message: string;
}

/** What a plugin asked the pods' owner to do. */
export type PodRequest =
  | { readonly kind: "evict"; readonly uid: string; readonly eviction: Eviction }
  | { readonly kind: "ready" | "started"; readonly ref: ContainerRef; readonly value: boolean }
  | { readonly kind: "applied"; readonly ref: ContainerRef; readonly resources: AppliedResources | undefined }
  | { readonly kind: "allocated"; readonly ref: ContainerRef; readonly status: readonly AllocatedResourceStatus[] }
  | {
      readonly kind: "condition";
      readonly uid: string;
      readonly type: string;
      readonly condition: PodCondition | undefined;
    }
  | { readonly kind: "restart"; readonly ref: ContainerRef; readonly restart: RestartRequest };
