/** What every source of runtime events is: something that is opened, and says when it may have missed some. */
import type { Clock } from "@hooklet/core";
import type { RuntimeEvent } from "@hooklet/core/host";
import type { Calls } from "../calls.js";
import type { GrpcClient } from "../grpc.js";
import type { Known } from "../known.js";

export interface EventPorts {
  readonly clock: Clock;
  readonly client: GrpcClient;
  readonly calls: Calls;
  readonly known: Known;
}

export interface EventListener {
  event(event: RuntimeEvent): void;
  /** Events may have been missed. */
  gap(): void;
  /** The runtime does not answer; called once until it does again, which `back` says. */
  away(error: unknown): void;
  back(): void;
  /** Something failed that a relist repairs: `gap` requests it. */
  problem(error: unknown): void;
}

/** Opens the source; returns what closes it. */
export type EventSource = (ports: EventPorts, listener: EventListener) => () => void;
