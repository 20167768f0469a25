/** One run of a scenario: by this process, or by one of its own. */
import { fileURLToPath } from "node:url";
import type { PlanQuestion } from "@hooklet/cli/extend";
import { type SimulationHost, scenarioConfig, type Variant } from "../config/scenario-config.js";
import type { SimulationRecord } from "../records/record.js";
import type { Outcome, TriedRestart } from "../run/outcome.js";
import { EventTimes, stateDifferences } from "../run/restarts.js";
import { simulate } from "../run/simulation.js";
import { parseScenario, readScenario } from "../scenario/read.js";

/** Plain values alone: it goes to another process. */
export interface Job {
  /** Absolute. */
  readonly file: string;
  readonly host: Pick<SimulationHost, "url" | "plugins" | "sourcePlugins">;
  readonly variant: Variant;
  readonly seed: number;
  /** Milliseconds. */
  readonly until?: number;
  readonly restarts?: readonly number[];
  /** Decisions about this, at the end. */
  readonly explain?: { readonly kind: string; readonly name: string };
  /** Moments of the node, for curves. */
  readonly samples?: number;
  /** What a plugin would decide, at the end. */
  readonly plan?: PlanQuestion;
  /** The outcome tells what a restart of the agent changes. */
  readonly tryRestarts?: boolean;
}

/** Runs the job as it is, with its records for the listener, then once for each time at which something happened, with a restart there. */
export async function tryRestarts(job: Job, listener?: (record: SimulationRecord) => void): Promise<Outcome> {
  const times = new EventTimes();
  const outcome = await runJob(job, (record) => {
    times.add(record);
    listener?.(record);
  });
  const tried: TriedRestart[] = [];
  for (const at of times.list()) {
    const { final } = await runJob({ ...job, restarts: [...(job.restarts ?? []), at] });
    tried.push({ t: at / 1000, differences: stateDifferences(outcome.final, final) });
  }
  return { ...outcome, tried };
}

/** Runs an empty scenario: what a run needs of hooklet is loaded then, and nothing else. */
export async function warmUp(host: Job["host"]): Promise<void> {
  const scenario = await parseScenario(JSON.stringify({ timeline: [], until: "1s" }), fileURLToPath(import.meta.url));
  await simulate({ scenario, config: await scenarioConfig(scenario, host), seed: 0 });
}

/** Rejects with all faults of scenario or configuration before anything is run. */
export async function runJob(job: Job, listener?: (record: SimulationRecord) => void): Promise<Outcome> {
  const scenario = await readScenario(job.file);
  const config = await scenarioConfig(scenario, job.host, job.variant);
  const { seed, until, restarts, explain, samples, plan } = job;
  return simulate({ scenario, config, seed, until, restarts, samples, explain, plan, listener });
}
