/** A connected device plugin, as the manager calls it. */

import type { AllocateResponse, PluginOptions } from "./device/types.js";
import type { Question } from "./strategies/strategy.js";

export interface Endpoint {
  /** Undefined: not known, as before the plugin is back after a restart of the agent. */
  readonly options: PluginOptions | undefined;
  /** Rejects with the plugin's error in Go's format. */
  allocate(ids: readonly string[]): Promise<AllocateAnswer>;
  /** Undefined: an answer without a container. */
  preferredAllocation(question: Question): Promise<readonly string[] | undefined>;
  preStartContainer(ids: readonly string[]): Promise<void>;
  /** Ends the connection. May be called twice. */
  stop(): void;
}

export interface AllocateAnswer {
  /** The response for the requested container; undefined when the plugin returned none. */
  readonly response: AllocateResponse | undefined;
  /** The whole answer, as errors show it. */
  readonly text: string;
}
