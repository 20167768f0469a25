import { hostname } from "node:os";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { AgentConfig, SourcePlugins } from "@hooklet/core/host";
import { rcSchemaWith, requireOneCore } from "@hooklet/core/internal";
import { foreign, untrusted } from "@hooklet/linux";
import { mergeLayers, pluginEntries, runtimeEntry, sourceEntries } from "./document.js";
import { effectiveSettings } from "./effective.js";
import { type ConfigFault, ConfigFaultsError, type Path } from "./faults/faults.js";
import { parseWith } from "./faults/schema-faults.js";
import { type Layer, placeText } from "./layers.js";
import type { Importer } from "./load/import-file.js";
import { loadPlugins, loadRuntime } from "./load/load-plugins.js";
import { type Modules, nodeModules } from "./load/modules.js";
import { type ConfigFlags, flagLayer } from "./option-table.js";
import { readRcFiles } from "./rc-file.js";
import type { RcFile } from "./rc-text.js";
import { agentSettings } from "./settings.js";
import { openPlaces, trustFaultAt } from "./trust.js";

export interface LoadConfigInput {
  /** `import.meta.url` of a file of the hooklet package: its own plugins and runtimes are found from there. */
  readonly hooklet: string;
  /** What the command line says; it wins over the rc file. */
  readonly flags?: ConfigFlags;
  /** Default: the process's own. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Effective user id; 0 checks which other users can write the files. */
  readonly uid?: number;
  /** Files of the user who called sudo count as root's. Default false: SUDO_UID is not trustworthy. */
  readonly trustSudoUser?: boolean | undefined;
  readonly hostname?: string;
  readonly modules?: Modules | undefined;
  /** Searched after the working directory. */
  readonly systemFolder?: string;
  /** An rc file that has been read elsewhere, such as a part of a scenario; none is searched then. What it extends is read. */
  readonly rc?: RcFile;
  /** What holds where the rc file says nothing; and what holds over it, under the command line. The weakest first. */
  readonly under?: readonly Layer[];
  readonly over?: readonly Layer[];
  /** hooklet's own plugins, in the order of their start; they run unless an rc file switches them off. */
  readonly plugins: readonly string[];
  /** Sources of plugins that `sources` may name. */
  readonly sourcePlugins?: SourcePlugins | undefined;
}

/**
 * The effective configuration: defaults, under the rc file, under the command line; plugins and runtime imported and
 * checked, nothing started.
 * @throws ConfigFaultsError with all faults at once
 */
export async function loadConfig(input: LoadConfigInput): Promise<AgentConfig> {
  const { flags = {}, env = process.env, modules = nodeModules, sourcePlugins = {} } = input;
  const cwd = input.cwd ?? process.cwd();
  const uid = input.uid ?? process.geteuid?.() ?? -1;
  const sudo = input.trustSudoUser === true && /^\d+$/.test(env.SUDO_UID ?? "") ? Number(env.SUDO_UID) : undefined;
  const owners = { uid, ...(sudo !== undefined && { sudoUid: sudo }) };
  const trust = (file: string, path: Path = []) => trustFaultAt(path, untrusted(file, owners));
  const files = await readRcFiles({
    ...(flags.config !== undefined && { configFile: resolve(cwd, flags.config) }),
    ...(input.rc !== undefined && { rc: input.rc }),
    folders: [cwd, input.systemFolder ?? "/etc/hooklet"],
    modules,
    trust,
    trustFound: (file) => trustFaultAt([], foreign(file, owners)),
  });
  const rc = files.at(-1);
  const kubelets = files.find(({ raw }) => raw.kind === "KubeletConfiguration");
  if (kubelets !== undefined) throw new ConfigFaultsError([kubeletsFault(kubelets)]);
  const commandLine = flagLayer(flags, cwd);
  const document = mergeLayers(
    [...(input.under ?? []), ...files.map(rcLayer), ...(input.over ?? []), commandLine],
    input.plugins,
  );
  const from = (path: Path): string => document.written(path)?.layer.file ?? rc?.file ?? commandLine.file;
  const importer: Importer = { modules, from, hooklet: fileURLToPath(input.hooklet), trust };

  const { values } = document;
  const base = parseWith(rcSchemaWith(sourcePlugins), values);
  const runtime = await loadRuntime(runtimeEntry(values), importer);
  const near = (path: Path, file: string): string => resolve(dirname(from(path)), file);
  const sources = sourceEntries(document, sourcePlugins, near);
  const plugins = await loadPlugins([...pluginEntries(document), ...sources], importer);
  requireOneCore();
  const faults = [...(base.faults ?? []), ...("faults" in runtime ? runtime.faults : []), ...plugins.faults];
  if (base.faults !== undefined || "faults" in runtime || faults.length + document.plugins.faults.length > 0) {
    throw new ConfigFaultsError(inOrder([...faults.map(document.placed), ...document.plugins.faults]));
  }

  const host = input.hostname ?? hostname();
  const { placed } = document;
  const { settings, faults: wrong } = agentSettings({
    value: base.value,
    sourcePlugins,
    near,
    owners,
    env,
    host,
    rc,
    placed,
  });
  if (wrong.length > 0) throw new ConfigFaultsError(inOrder(wrong));
  const switchedOff = document.plugins.switchedOff.map(({ specifier, layer, index }) => ({
    specifier,
    origin: placeText(layer.place(["plugins", index])),
  }));
  return {
    ...(rc !== undefined && { file: rc.file }),
    ...(files.length > 1 && { extended: files.slice(0, -1).map(({ file }) => file) }),
    ...settings,
    ...(sudo !== undefined && { sudoUid: sudo }),
    runtime: runtime.runtime,
    plugins: plugins.plugins,
    ...(switchedOff.length > 0 && { switchedOff }),
    warnings: openPlaces(settings, sources, sourcePlugins, owners),
    effective: effectiveSettings({
      settings,
      runtime: runtime.runtime,
      plugins: plugins.plugins,
      switchedOff,
      sourcePlugins,
      document,
    }),
  };
}

function kubeletsFault({ file, locate }: RcFile): ConfigFault {
  const expected = `an rc file (hooklet check --from-kubelet ${file} prints the one that says the same)`;
  return { file, ...locate(["kind"]), path: "kind", expected, found: "a KubeletConfiguration" };
}

function rcLayer({ file, raw, locate }: RcFile): Layer {
  return { file, raw, place: (path) => ({ file, ...locate(path) }) };
}

/** In reading order: from the top of each file to its end. */
function inOrder(faults: readonly ConfigFault[]): readonly ConfigFault[] {
  return [...faults].sort((a, b) => (a.file === b.file ? (a.line ?? 0) - (b.line ?? 0) : 0));
}

/** The configuration without sources of pods: for trying the other plugins. */
export function withoutSources(config: AgentConfig, sourcePlugins: SourcePlugins = {}): AgentConfig {
  const sources = new Set(Object.values(sourcePlugins).map(({ specifier }) => specifier));
  return { ...config, plugins: config.plugins.filter(({ specifier }) => !sources.has(specifier)) };
}
