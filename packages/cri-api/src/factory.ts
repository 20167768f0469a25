/** How a runtime package offers itself: its default export is a `RuntimeFactory`. */

import type { Clock } from "@hooklet/utils";
import type { Logger } from "pino";
import type { z } from "zod";
import type { Runtime } from "./port.js";

export interface RuntimeContext {
  readonly clock: Clock;
  readonly log: Logger;
  /** The agent's root dir; a runtime keeps its state in its own folder below it. */
  readonly rootDir: string;
  readonly nodeName: string;
  /** `node.ip` of the rc file: that of pods on the machine's own network. Undefined: the runtime's own guess. */
  readonly nodeIp?: string;
}

export interface RuntimeFactory<Options = unknown> {
  readonly meta: { readonly name: string; readonly api: 1 };
  readonly options: z.ZodType<Options>;
  create(ctx: RuntimeContext, options: Options): Runtime;
}

/** Gives a runtime factory its types; returns it unchanged. */
export function defineRuntime<Options>(factory: RuntimeFactory<Options>): RuntimeFactory<Options> {
  return factory;
}
