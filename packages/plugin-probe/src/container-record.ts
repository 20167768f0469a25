/** What the plugin knows of one container that has probes. */
import type { ContainerRef } from "@hooklet/core";

export interface ContainerRecord {
  readonly ref: ContainerRef;
  /** The newest attempt's id; "" before the first. */
  containerId: string;
  /** It ran already when the agent started: what its status said then. */
  remembered: { readonly ready: boolean; readonly started: boolean } | undefined;
  /** What the core was told last. */
  ready: boolean;
  started: boolean;
}
