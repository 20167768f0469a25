import { hostname } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isRecord } from "@hooklet/manifest";
import type { z } from "zod";
import { type ConfigFault, ConfigFaultsError, type Path, valueFault } from "../faults/faults.js";
import { parseWith } from "../faults/schema-faults.js";
import { requireOneCore } from "../lib/one-core.js";
import type { Importer } from "../load/import-file.js";
import { loadPlugins, type PluginEntry } from "../load/load-plugins.js";
import { loadRuntime, type RuntimeEntry } from "../load/load-runtime.js";
import { type Modules, nodeModules } from "../load/modules.js";
import { effectiveSettings, placeText } from "./effective.js";
import { type ConfigFlags, flagLayer } from "./flags.js";
import { groupNumber } from "./groups.js";
import type { Layer } from "./layers.js";
import type { RcFile } from "./locate.js";
import { type Merged, mergeLayers } from "./merged.js";
import { entryOptions } from "./plugin-entries.js";
import { readRcFiles } from "./rc-file.js";
import { defaultRootDir } from "./root-dir.js";
import { type nodeSchema, rcSchema, rcSchemaWith, runtimeSchema, type SourcePlugins } from "./schema.js";
import { foreign, type TrustOptions, untrusted, untrustedFolder } from "./trust.js";
import type { AgentConfig, NodeConfig, NodeServerConfig } from "./types.js";

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
  /** Files of the user who called sudo count as root's. Default false: anybody can set SUDO_UID. */
  readonly trustSudoUser?: boolean;
  readonly hostname?: string;
  readonly modules?: Modules;
  /** Searched after the working directory. */
  readonly systemFolder?: string;
  /** An rc file that has been read elsewhere, such as a part of a scenario; none is searched then. What it extends is read. */
  readonly rc?: RcFile;
  /** What holds where the rc file says nothing; and what holds over it, under the command line. The weakest first. */
  readonly under?: readonly Layer[];
  readonly over?: readonly Layer[];
  /** hooklet's own plugins, in the order of their start; they run unless an rc file takes them away. */
  readonly plugins: readonly string[];
  /** What `sources` may name beside the agent's own. */
  readonly sourcePlugins?: SourcePlugins;
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
  const trust = (file: string, path: Path = []) => untrusted(file, path, owners);
  const files = await readRcFiles({
    ...(flags.config !== undefined && { configFile: resolve(cwd, flags.config) }),
    ...(input.rc !== undefined && { rc: input.rc }),
    folders: [cwd, input.systemFolder ?? "/etc/hooklet"],
    modules,
    trust,
    trustFound: (file) => foreign(file, owners),
  });
  const rc = files.at(-1);
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
  const plugins = await loadPlugins(
    [...pluginEntries(document), ...sourceEntries(document, sourcePlugins, near)],
    importer,
  );
  requireOneCore();
  const faults = [...(base.faults ?? []), ...("faults" in runtime ? runtime.faults : []), ...plugins.faults];
  if (base.faults !== undefined || "faults" in runtime || faults.length + document.plugins.faults.length > 0) {
    throw new ConfigFaultsError(inOrder([...faults.map(document.placed), ...document.plugins.faults]));
  }

  const { value } = base;
  const own = Object.entries(value.sources).filter(([key]) => !Object.hasOwn(sourcePlugins, key));
  const rootDir = value.rootDir === undefined ? defaultRootDir(uid, env) : near(["rootDir"], value.rootDir);
  const manifests = value.sources.manifests === null ? null : near(["sources", "manifests"], value.sources.manifests);
  const socket = value.socket === undefined ? join(rootDir, "hooklet.sock") : near(["socket"], value.socket);
  const read = value.readOnlySocket;
  const readPath = read === null ? undefined : near(["readOnlySocket", "path"], read.path);
  const group = read === null ? undefined : groupNumber(read.group);
  const places = [
    untrustedFolder(rootDir, ["rootDir"], "choose another root directory, with --root-dir or rootDir", owners),
    // In the root directory it stands and falls with that one.
    ...(dirname(socket) === rootDir
      ? []
      : [untrustedFolder(dirname(socket), ["socket"], "choose another place, with --socket or socket", owners)]),
    ...(readPath === undefined
      ? []
      : [untrustedFolder(dirname(readPath), ["readOnlySocket", "path"], "choose another place for it", owners)]),
    ...(read !== null && group === undefined
      ? [valueFault(["readOnlySocket", "group"], "a group of /etc/group, or its number", read.group)]
      : []),
  ].filter((fault) => fault !== undefined);
  if (places.length > 0) throw new ConfigFaultsError(inOrder(places.map(document.placed)));
  const settings = {
    rootDir,
    socket,
    port: value.port,
    readOnlyPort: value.readOnlyPort,
    readOnlySocket: readPath === undefined || group === undefined ? null : { path: readPath, group },
    ...(value.server !== null && { server: serverConfig(value.server, near) }),
    node: withoutUndefined({ ...value.node, name: nodeName(value.node.name, input.hostname ?? hostname(), rc) }),
    sources: { ...(Object.fromEntries(own) as typeof value.sources), manifests },
  };
  const switchedOff = document.plugins.switchedOff.map(({ specifier, layer, index }) => ({
    specifier,
    origin: placeText(layer.place(["plugins", index])),
  }));
  return {
    ...(rc !== undefined && { file: rc.file }),
    ...(files.length > 1 && { extended: files.slice(0, -1).map(({ file }) => file) }),
    ...settings,
    runtime: runtime.runtime,
    plugins: plugins.plugins,
    ...(switchedOff.length > 0 && { switchedOff }),
    warnings: manifests === null ? [] : manifestWarnings(manifests, owners),
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

/** Whoever can write where manifests lie runs pods as the agent's user. */
function manifestWarnings(manifests: string, owners: TrustOptions): readonly string[] {
  const fault = untrustedFolder(manifests, ["sources", "manifests"], "who can write there decides what runs", owners);
  return fault === undefined ? [] : [`sources.manifests: expected ${fault.expected}, found ${fault.found}`];
}

function rcLayer({ file, raw, locate }: RcFile): Layer {
  return { file, raw, place: (path) => ({ file, ...locate(path) }) };
}

/** As people read: from the top of each file to its end. */
function inOrder(faults: readonly ConfigFault[]): readonly ConfigFault[] {
  return [...faults].sort((a, b) => (a.file === b.file ? (a.line ?? 0) - (b.line ?? 0) : 0));
}

function nodeName(written: string | undefined, host: string, rc: RcFile | undefined): string {
  if (written !== undefined) return written;
  const name = host.toLowerCase();
  const { faults } = parseWith(rcSchema, { node: { name } });
  if (faults === undefined) return name;
  const [fault] = faults;
  const expected = `${fault?.expected} (the machine's host name is none: say --node-name or node.name)`;
  throw new ConfigFaultsError([
    { file: rc?.file ?? "default", path: "node.name", expected, found: fault?.found ?? name },
  ]);
}

/** With its files found from the file that names them. */
function serverConfig(
  server: NonNullable<z.output<typeof rcSchema>["server"]>,
  near: (path: Path, file: string) => string,
): NodeServerConfig {
  const { tlsCertFile, tlsPrivateKeyFile, authentication, ...rest } = server;
  const { clientCAFile } = authentication.x509;
  const found = (steps: Path, file: string | undefined): string | undefined =>
    file === undefined ? undefined : near(["server", ...steps], file);
  const certificate = found(["tlsCertFile"], tlsCertFile);
  const key = found(["tlsPrivateKeyFile"], tlsPrivateKeyFile);
  const authority = found(["authentication", "x509", "clientCAFile"], clientCAFile);
  return {
    ...rest,
    ...(certificate !== undefined && { tlsCertFile: certificate }),
    ...(key !== undefined && { tlsPrivateKeyFile: key }),
    authentication: { ...authentication, x509: authority === undefined ? {} : { clientCAFile: authority } },
  };
}

/** Keys that are set to undefined, as an rc file in JavaScript may do, are no keys. */
function withoutUndefined(node: z.output<typeof nodeSchema> & { readonly name: string }): NodeConfig {
  return Object.fromEntries(Object.entries(node).filter(([, one]) => one !== undefined)) as unknown as NodeConfig;
}

function pluginEntries({ plugins, written }: Merged): readonly PluginEntry[] {
  return plugins.entries.map((entry, index) => {
    const path = ["plugins", index];
    const named = entry.isDefault ? undefined : written(path);
    const origin = named === undefined ? "default" : placeText(named.layer.place(named.document));
    return { specifier: entry.specifier, options: entryOptions(entry), path, origin };
  });
}

/** The configuration of a node to which nobody brings pods: for trying the other plugins. */
export function withoutSources(config: AgentConfig, sourcePlugins: SourcePlugins = {}): AgentConfig {
  const sources = new Set(Object.values(sourcePlugins).map(({ specifier }) => specifier));
  return { ...config, plugins: config.plugins.filter(({ specifier }) => !sources.has(specifier)) };
}

/** The plugins behind keys of `sources`. */
function sourceEntries(
  { values, written }: Merged,
  sourcePlugins: SourcePlugins,
  near: (path: Path, file: string) => string,
): readonly PluginEntry[] {
  return Object.entries(sourcePlugins).flatMap(([key, { specifier, files }]) => {
    const options = isRecord(values.sources) ? values.sources[key] : undefined;
    if (!isRecord(options)) return [];
    const path = ["sources", key];
    const named = written(path);
    const found = files.flatMap((name) => {
      const file = options[name];
      return typeof file === "string" ? [[name, near([...path, name], file)]] : [];
    });
    const origin = named === undefined ? "default" : placeText(named.layer.place(named.document));
    return [{ specifier, options: { ...options, ...Object.fromEntries(found) }, path, origin }];
  });
}

function runtimeEntry(values: Readonly<Record<string, unknown>>): RuntimeEntry {
  const parsed = runtimeSchema.safeParse(values.runtime);
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
