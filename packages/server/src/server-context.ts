import type { Clock } from "@hooklet/core/base";
import type { AgentApi } from "@hooklet/core/host";
import type { Logger } from "pino";

/** What every route answers from. */
export interface ServerContext {
  readonly api: AgentApi;
  readonly clock: Clock;
  readonly log: Logger;
}
