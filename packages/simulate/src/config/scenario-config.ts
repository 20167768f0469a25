/** The configuration that a scenario's agent runs with. */

import { readdir, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { type Layer, loadConfig, type Modules, type RcFile, withoutSources } from "@hooklet/config";
import { errorText, NodeAgentError } from "@hooklet/core";
import type { AgentConfig, SourcePlugins } from "@hooklet/core/host";
import { isRecord } from "@hooklet/manifest";
import type { Scenario } from "../scenario/read.js";
import { type Setting, setLayer } from "./sets.js";

/** Who runs simulations: which plugins are on, and where they are found. */
export interface SimulationHost {
  readonly url: string;
  readonly plugins: readonly string[];
  /** Sources that an rc file may name; pods come from the scenario alone, so none of them runs. */
  readonly sourcePlugins?: SourcePlugins;
  readonly modules?: Modules;
}

export interface Variant {
  /** Absolute path of an rc file that takes the place of the scenario's own configuration. */
  readonly rcFile?: string;
  readonly sets?: readonly Setting[];
}

/** @throws ConfigFaultsError with all faults; those of `config` name the scenario's lines */
export async function scenarioConfig(
  scenario: Scenario,
  host: SimulationHost,
  variant: Variant = {},
): Promise<AgentConfig> {
  const { file, spec } = scenario;
  const folder = dirname(file);
  const rcFile = variant.rcFile ?? scenario.rcFile;
  const none: RcFile = { file, raw: {}, locate: () => undefined };
  const { name, pods, labels } = spec.node;
  const { sourcePlugins = {} } = host;
  const config = await loadConfig({
    hooklet: host.url,
    plugins: host.plugins,
    sourcePlugins,
    cwd: folder,
    hostname: "node1",
    modules: host.modules,
    ...(rcFile === undefined ? { rc: scenario.rc ?? none } : { flags: { config: rcFile } }),
    under: [
      layer(file, {
        node: { name: "node1", ip: "192.0.2.10", clusterDNS: ["192.0.2.53"], clusterDomain: "cluster.local" },
      }),
    ],
    over: [
      layer(file, {
        node: {
          ...(name === undefined ? {} : { name }),
          ...(pods === undefined ? {} : { maxPods: pods }),
          ...(labels === undefined ? {} : { labels }),
        },
      }),
      setLayer(variant.sets ?? [], folder),
    ],
  });
  return withoutSources(config, sourcePlugins);
}

function layer(file: string, raw: Readonly<Record<string, unknown>>): Layer {
  return { file, raw, place: () => ({ file }) };
}

/** Absolute paths, or packages, of the plugins and strategies that run. */
export function loadedFiles(
  { plugins, file }: Pick<AgentConfig, "plugins" | "file">,
  scenarioFile: string,
): readonly string[] {
  const folder = dirname(file ?? scenarioFile);
  return plugins.flatMap(({ file: own, written = {} }) => [
    own,
    ...Object.values(written).flatMap((value) =>
      isRecord(value) && typeof value.use === "string"
        ? [/^\.{0,2}\//.test(value.use) ? resolve(folder, value.use) : value.use]
        : [],
    ),
  ]);
}

// Scenarios by name: files, and all of a folder.

const SCENARIO = /\.(ya?ml|json)$/;

export interface NamedFile {
  /** As people named it. */
  readonly name: string;
  readonly file: string;
}

/** In the order of the names. @throws NodeAgentError INVALID for what is not there, and for a folder without any */
export async function scenarioFiles(cwd: string, names: readonly string[]): Promise<readonly NamedFile[]> {
  const lists = await Promise.all(names.map((name) => filesOf(name, resolve(cwd, name))));
  return lists.flat();
}

async function filesOf(name: string, file: string): Promise<readonly NamedFile[]> {
  try {
    if (!(await stat(file)).isDirectory()) return [{ name, file }];
  } catch (cause) {
    throw new NodeAgentError("INVALID", `Cannot read the scenario ${name}: ${errorText(cause)}`, { cause });
  }
  const found = (await readdir(file)).filter((entry) => SCENARIO.test(entry)).sort();
  if (found.length === 0)
    throw new NodeAgentError("INVALID", `The directory ${name} has no scenario (*.yaml, *.yml, *.json).`);
  return found.map((entry) => ({ name: entry, file: join(file, entry) }));
}
