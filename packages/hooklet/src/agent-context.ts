/** What the binary's own commands get beside what a client's get: where plugins and runtimes come from. */
import type { Context } from "@hooklet/cli/extend";
import type { SimulationHost } from "@hooklet/simulate/commands";

export type Distribution = SimulationHost;

export interface AgentContext extends Context {
  readonly host: Distribution;
}

export type AgentPerform = (work: (context: AgentContext) => Promise<number>) => Promise<void>;
