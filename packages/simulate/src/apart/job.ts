/** One run of a scenario: by this process, or by one of its own. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { scenarioConfig, type SimulationHost, type Variant } from "../config/config.js";
import type { SimulationRecord } from "../records/record.js";
import type { Outcome } from "../run/outcome.js";
import { simulate } from "../run/simulation.js";
import { readScenario } from "../scenario/read.js";

/** Plain values alone: it goes to another process. */
export interface Job {
  /** Absolute. */
  readonly file: string;
  readonly host: Pick<SimulationHost, "url" | "plugins">;
  readonly variant: Variant;
  readonly seed: number;
  /** Milliseconds. */
  readonly until?: number;
  readonly restarts?: readonly number[];
  /** Decisions about this, at the end. */
  readonly explain?: { readonly kind: string; readonly name: string };
  /** Empty, and this run's alone; whoever made it removes it. */
  readonly rootDir: string;
}

/** Rejects with all faults of scenario or configuration before anything is run. */
export async function runJob(job: Job, listener?: (record: SimulationRecord) => void): Promise<Outcome> {
  const scenario = await readScenario(job.file);
  const config = await scenarioConfig(scenario, job.host, job.variant);
  const { seed, rootDir, until, restarts, explain } = job;
  return simulate({
    scenario,
    config,
    rootDir,
    seed,
    ...(until === undefined ? {} : { until }),
    ...(restarts === undefined ? {} : { restarts }),
    ...(explain === undefined ? {} : { explain }),
    ...(listener === undefined ? {} : { listener }),
  });
}

/** A folder for the agent's files; in memory where the machine has such a place, for nothing of it has to last. */
export async function withRootDir<T>(work: (rootDir: string) => Promise<T>): Promise<T> {
  const rootDir = await make("/dev/shm").catch(() => make(tmpdir()));
  try {
    return await work(rootDir);
  } finally {
    await rm(rootDir, { recursive: true, force: true });
  }
}

function make(folder: string): Promise<string> {
  return mkdtemp(join(folder, "hooklet-simulate-"));
}
