import { hostname } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { z } from "zod";
import { foundText } from "../errors.js";
import { type ConfigFault, ConfigFaultsError, type Path, pathText, type ValueFault } from "../faults/faults.js";
import { parseWith } from "../faults/schema-faults.js";
import type { Importer } from "../plugin/import-file.js";
import { loadPlugins, type PluginEntry } from "../plugin/loader.js";
import { defaultPlugins as ownPlugins } from "./default-plugins.js";
import { documentPath } from "./document-path.js";
import { effectiveSettings } from "./effective.js";
import { applyFlags, type ConfigFlags, isRecord } from "./flags.js";
import { loadRuntime, type RuntimeEntry } from "./load-runtime.js";
import { type Modules, nodeModules } from "./modules.js";
import { type RcFile, readRcFile } from "./rc-file.js";
import { defaultRootDir } from "./root-dir.js";
import { entrySchema, type nodeSchema, rcSchema, runtimeSchema } from "./schema.js";
import { untrusted } from "./trust.js";
import type { AgentConfig, NodeConfig } from "./types.js";

export interface LoadConfigInput {
  /** `import.meta.url` of a file of the hooklet package: its own plugins and runtimes are found from there. */
  readonly hooklet: string;
  /** What the command line says; it wins over the rc file. */
  readonly flags?: ConfigFlags;
  /** Default: the process's own. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Effective user id; 0 checks who else can write the files. */
  readonly uid?: number;
  readonly hostname?: string;
  readonly modules?: Modules;
  /** Searched after the working directory. */
  readonly systemFolder?: string;
  /** Plugins when the rc file names none. */
  readonly defaultPlugins?: readonly string[];
}

/**
 * The effective configuration: defaults, under the rc file, under the command line; plugins and runtime imported and
 * checked, nothing started.
 * @throws ConfigFaultsError with all faults at once
 */
export async function loadConfig(input: LoadConfigInput): Promise<AgentConfig> {
  const { flags = {}, env = process.env, modules = nodeModules } = input;
  const cwd = input.cwd ?? process.cwd();
  const uid = input.uid ?? process.geteuid?.() ?? -1;
  const sudoUid = /^\d+$/.test(env.SUDO_UID ?? "") ? { sudoUid: Number(env.SUDO_UID) } : {};
  const trust = (file: string, path: Path = []) => untrusted(file, path, { uid, ...sudoUid });
  const rc = await readRcFile({
    ...(flags.config !== undefined && { configFile: resolve(cwd, flags.config) }),
    folders: [cwd, input.systemFolder ?? "/etc/hooklet"],
    modules,
    trust,
  });
  const importer: Importer = {
    modules,
    from: rc?.file ?? join(cwd, "hooklet.config.js"),
    hooklet: fileURLToPath(input.hooklet),
    trust,
  };

  const raw = rc?.raw ?? {};
  if (rc !== undefined && !isRecord(raw)) {
    throw new ConfigFaultsError([{ file: rc.file, path: "", expected: "an object of options", found: foundText(raw) }]);
  }
  const { merged, flagOf } = applyFlags(raw as Readonly<Record<string, unknown>>, flags, cwd);
  const base = parseWith(rcSchema, merged);
  const entries = pluginEntries(merged, input.defaultPlugins ?? ownPlugins);
  const runtime = await loadRuntime(runtimeEntry(merged), importer);
  const plugins = await loadPlugins(entries, importer);
  const faults = [...(base.faults ?? []), ...("faults" in runtime ? runtime.faults : []), ...plugins.faults];
  if (base.faults !== undefined || "faults" in runtime || faults.length > 0) {
    throw new ConfigFaultsError(faults.map((fault) => placed(fault, rc, merged, flagOf)));
  }

  const { value } = base;
  const folder = rc === undefined ? cwd : dirname(rc.file);
  const rootDir = resolve(folder, value.rootDir ?? defaultRootDir(uid, env));
  const name = value.node.name ?? (input.hostname ?? hostname()).toLowerCase();
  const named = parseWith(rcSchema, { node: { name } });
  if (named.faults !== undefined) {
    const [fault] = named.faults;
    const expected = `${fault?.expected} (the machine's host name is none: say --node-name or node.name)`;
    throw new ConfigFaultsError([
      { file: rc?.file ?? "default", path: "node.name", expected, found: fault?.found ?? name },
    ]);
  }
  const settings = {
    rootDir,
    socket: resolve(folder, value.socket ?? join(rootDir, "hooklet.sock")),
    port: value.port,
    node: withoutUndefined({ ...value.node, name }),
    sources: {
      ...value.sources,
      manifests: value.sources.manifests === null ? null : resolve(folder, value.sources.manifests),
    },
  };
  return {
    ...(rc !== undefined && { file: rc.file }),
    ...settings,
    runtime: runtime.runtime,
    plugins: plugins.plugins,
    effective: effectiveSettings({ settings, merged, runtime: runtime.runtime, plugins: plugins.plugins, rc, flagOf }),
  };
}

/** Keys that are set to undefined, as an rc file in JavaScript may do, are no keys. */
function withoutUndefined(node: z.output<typeof nodeSchema> & { readonly name: string }): NodeConfig {
  return Object.fromEntries(Object.entries(node).filter(([, one]) => one !== undefined)) as unknown as NodeConfig;
}

/** The entries that can be loaded; the others are faults of the schema. */
function pluginEntries(merged: Readonly<Record<string, unknown>>, defaults: readonly string[]): readonly PluginEntry[] {
  const { plugins } = merged;
  if (plugins === undefined) {
    return defaults.map((specifier) => ({ specifier, options: undefined, path: ["plugins"], origin: "default" }));
  }
  if (!Array.isArray(plugins)) return [];
  return plugins.flatMap((raw: unknown, index): readonly PluginEntry[] => {
    const parsed = entrySchema.safeParse(raw);
    if (!parsed.success) return [];
    const [specifier, options] = typeof parsed.data === "string" ? [parsed.data] : parsed.data;
    return [{ specifier, options, path: ["plugins", index], origin: `plugins[${index}]` }];
  });
}

function runtimeEntry(merged: Readonly<Record<string, unknown>>): RuntimeEntry {
  const parsed = runtimeSchema.safeParse(merged.runtime);
  const runtime = parsed.success ? parsed.data : rcSchema.parse({}).runtime;
  if (typeof runtime === "string") {
    return { specifier: runtime, options: undefined, path: ["runtime"], optionsPath: ["runtime", "options"] };
  }
  return {
    specifier: runtime.use,
    options: runtime.options,
    path: ["runtime", "use"],
    optionsPath: ["runtime", "options"],
  };
}

/** Says where the fault stands: the flag, or file, line and column. */
function placed(
  fault: ValueFault,
  rc: RcFile | undefined,
  merged: Readonly<Record<string, unknown>>,
  flagOf: (path: Path) => string | undefined,
): ConfigFault {
  const { path, ...rest } = fault;
  const flag = flagOf(path);
  if (flag !== undefined) return { ...rest, file: flag, path: pathText(path) };
  return { ...rest, file: rc?.file ?? "default", path: pathText(path), ...rc?.locate(documentPath(path, merged)) };
}
