import type { AgentApi } from "@hooklet/core/host";
import type { Clock } from "@hooklet/utils";
import type { Logger } from "pino";

/** What every route answers from. */
export interface ServerContext {
  readonly api: AgentApi;
  readonly clock: Clock;
  readonly log: Logger;
}

/** For a client that requests an unknown path of the control socket: it is most likely of another version. */
export function otherVersion({ version }: Pick<AgentApi, "version">): string {
  return `. This agent is hooklet ${version}; "hooklet version -o json" shows the client's version too.`;
}
