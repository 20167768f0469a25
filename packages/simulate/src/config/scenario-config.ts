/** The configuration that a scenario's agent runs with. */
import { dirname, resolve } from "node:path";
import { type Layer, loadConfig, type Modules, type RcFile, withoutSources } from "@hooklet/config";
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
    ...(host.modules === undefined ? {} : { modules: host.modules }),
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
