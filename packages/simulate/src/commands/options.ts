/** Options that several commands have, as values. */
import { resolve } from "node:path";
import type { Context } from "@hooklet/cli/extend";
import type { AgentConfig } from "@hooklet/core/host";
import { NodeAgentError } from "@hooklet/utils";
import type { SimulationHost, Variant } from "../config/scenario-config.js";
import type { Setting } from "../config/sets.js";
import type { Job } from "../subprocess/job.js";
import { parseSeconds } from "../values/seconds.js";

/** The binary, as its commands for scenarios know it. */
export interface BinaryHost extends SimulationHost {
  /** A KubeletConfiguration as an rc file for these plugins, and the fields that have no counterpart. */
  rcOfKubelet(
    configuration: Readonly<Record<string, unknown>>,
    config: Pick<AgentConfig, "plugins">,
  ): Promise<{
    readonly rc: Readonly<Record<string, unknown>>;
    readonly left: readonly { readonly field: string; readonly why: string }[];
  }>;
}

export interface ScenarioContext extends Context {
  readonly host: BinaryHost;
}

export interface RunOptions {
  readonly until?: string;
  readonly seed?: string;
  readonly config?: string;
  readonly set?: readonly string[];
}

/** @throws NodeAgentError INVALID */
export async function jobOf({ io, host }: ScenarioContext, file: string, options: RunOptions): Promise<Job> {
  return {
    file: resolve(io.cwd(), file),
    host: { url: host.url, plugins: host.plugins, ...(host.sourcePlugins && { sourcePlugins: host.sourcePlugins }) },
    variant: await variantOf(io.cwd(), options),
    seed: seedOf(options.seed ?? "0"),
    ...(options.until === undefined ? {} : { until: timeOf("--until", options.until) }),
  };
}

async function variantOf(cwd: string, { config, set = [] }: Pick<RunOptions, "config" | "set">): Promise<Variant> {
  return {
    ...(config === undefined ? {} : { rcFile: resolve(cwd, config) }),
    sets: set.length === 0 ? [] : await settingsOf(set),
  };
}

/** What reads YAML is slow to load. */
async function settingsOf(set: readonly string[]): Promise<readonly Setting[]> {
  const { parseSet } = await import("../config/sets.js");
  return set.map((text) => parseSet(text));
}

/** Milliseconds. */
export function timeOf(option: string, text: string): number {
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : parseSeconds(text);
  if (seconds !== undefined) return Math.round(seconds * 1000);
  throw new NodeAgentError("INVALID", `${option}: expected a time such as 90s, 10m or 1h30m, found "${text}".`);
}

function seedOf(text: string): number {
  const seed = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(seed)) return seed;
  throw new NodeAgentError("INVALID", `--seed: expected a whole number from 0, found "${text}".`);
}
