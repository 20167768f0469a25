import { existsSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { printLine, printText, table, tell } from "@hooklet/cli/extend";
import { readInputs, toJson } from "@hooklet/cli/print";
import { isConfigFaultsError, withoutSources } from "@hooklet/config";
import { type AgentConfig, configJson, type SourcePlugins } from "@hooklet/core/host";
import { apiPod, isManifestError, namespacedName, providedLocally, readObjects } from "@hooklet/manifest";
import type { ScenarioCommands } from "@hooklet/simulate/commands";
import { foundText } from "@hooklet/utils";
import type { Pod } from "kubernetes-types/core/v1.js";
import type { AgentContext } from "../agent-context.js";
import { criEndpoint } from "../doctor/machine-facts.js";
import { contextConfig, withPlaces } from "../run/boot-config.js";
import { checkFromKubelet } from "./check/from-kubelet.js";
import { rcFileIn } from "./create/name-in-rc.js";

export interface CheckOptions {
  readonly trustSudoUser?: boolean;
  readonly config?: string;
  readonly filename?: readonly string[];
  readonly output?: "json";
  readonly fromKubelet?: string;
}

/** `hooklet check`: the effective configuration, or all its faults; with `-f` the faults of manifests instead. */
export async function check(
  context: AgentContext,
  options: CheckOptions,
  scenarios: ScenarioCommands,
): Promise<number> {
  if (options.fromKubelet !== undefined) return checkFromKubelet(context, options.fromKubelet);
  return options.filename === undefined
    ? checkConfig(context, options, scenarios)
    : checkManifests(context, options.filename, options);
}

async function checkConfig(
  context: AgentContext,
  { config, output, trustSudoUser }: CheckOptions,
  scenarios: ScenarioCommands,
): Promise<number> {
  const { io } = context;
  try {
    const effective = await contextConfig(context, { config, trustSudoUser });
    // A plugin that cannot be started keeps the agent from starting. One that brings pods would tell a real cluster of this node.
    await withPlaces(effective, scenarios.tryPlugins(withoutSources(effective, context.host.sourcePlugins)));
    const unserved = serverWarning(effective, context.host.sourcePlugins);
    const above = effective.file === undefined ? await rcFileAbove(io.cwd()) : undefined;
    const warnings = [
      ...(effective.warnings ?? []),
      ...(unserved === undefined ? [] : [unserved]),
      ...missingPlaces(effective),
      ...(above === undefined ? [] : [`there is no rc file here, but one above: hooklet check --config ${above}`]),
    ];
    for (const warning of warnings) await tell(io, `warning: ${warning}`);
    await printText(io.stdout, output === "json" ? `${toJson(configJson(effective))}\n` : renderConfig(effective));
    if (output !== "json") await printLine(io.stdout, "The configuration has no fault.");
    return 0;
  } catch (error) {
    if (!isConfigFaultsError(error) || output !== "json") throw error;
    await printLine(io.stdout, toJson({ faults: error.faults }));
    return 1;
  }
}

/** What an agent with this configuration would look for and not find now. */
function missingPlaces({ runtime, sources }: Pick<AgentConfig, "runtime" | "sources">): readonly string[] {
  const endpoint = criEndpoint(runtime);
  const { manifests } = sources;
  return [
    ...(endpoint === undefined || existsSync(endpoint)
      ? []
      : [`runtime.options.endpoint: there is no socket ${endpoint} now; without it hooklet run ends after 20 s`]),
    ...(manifests === null || existsSync(manifests)
      ? []
      : [`sources.manifests: there is no directory ${manifests} now; the agent takes pods from it once it is there`]),
  ];
}

/** The nearest rc file above a folder, relative to it. */
export async function rcFileAbove(folder: string): Promise<string | undefined> {
  for (let at = dirname(folder); at !== dirname(at); at = dirname(at)) {
    const found = await rcFileIn(at).catch(() => undefined);
    if (found !== undefined) return relative(folder, join(at, found.name));
  }
  return undefined;
}

/** Warns of a server that would refuse every client; undefined: nothing to warn of. A custom plugin may answer for it, so it is no fault. */
function serverWarning(
  { server, plugins }: Pick<AgentConfig, "server" | "plugins">,
  sourcePlugins: SourcePlugins = {},
): string | undefined {
  if (server?.authorization.mode !== "Webhook") return undefined;
  const sources = new Set(Object.values(sourcePlugins).map(({ specifier }) => specifier));
  if (plugins.some(({ specifier }) => sources.has(specifier))) return undefined;
  return "server.authorization.mode is Webhook: the agent does not start unless a plugin answers for the API server: add sources.kube, or say AlwaysAllow";
}

async function checkManifests(
  { io }: AgentContext,
  files: readonly string[],
  { output }: CheckOptions,
): Promise<number> {
  const results = [];
  for (const { where, text } of await readInputs(io, files))
    results.push(await checkManifest(text, where, io.clock.now()));
  if (output === "json") await printLine(io.stdout, toJson(results));
  else
    for (const result of results)
      for (const line of manifestLines(result))
        await (result.faults.length > 0 ? tell(io, line) : printLine(io.stdout, line));
  return results.every(({ faults }) => faults.length === 0) ? 0 : 1;
}

interface ManifestResult {
  readonly file: string;
  readonly pods: readonly string[];
  /** ConfigMaps and Secrets: `configmap default/app`. */
  readonly objects?: readonly string[];
  readonly faults: readonly { readonly line?: number; readonly path?: string; readonly message: string }[];
}

async function checkManifest(text: string, file: string, now: number): Promise<ManifestResult> {
  try {
    const identify = (pod: Pod) => apiPod(pod, { nodeName: "check", seen: now, uid: "check" });
    const { pods, objects } = await readObjects(text, file, identify, providedLocally);
    return {
      file,
      pods: pods.map(({ metadata }) => namespacedName(metadata)),
      ...(objects.length > 0 && {
        objects: objects.map(({ kind, metadata }) => `${kind.toLowerCase()} ${namespacedName(metadata)}`),
      }),
      faults: [],
    };
  } catch (error) {
    if (!isManifestError(error)) throw error;
    return { file, pods: [], faults: error.faults };
  }
}

function manifestLines({ file, pods, objects = [], faults }: ManifestResult): readonly string[] {
  const all = [...objects, ...pods.map((pod) => `pod ${pod}`)];
  if (faults.length === 0) return [`${file}: well formed: ${all.join(", ") || "no pods"}`];
  return faults.map(({ line, message }) => `${line === undefined ? file : `${file}:${line}`}: ${message}`);
}

/** For `hooklet check`: the files, which plugins run and why, then every setting with its value and origin. */
export function renderConfig(config: AgentConfig): string {
  const { file, extended = [], effective } = config;
  return [
    file === undefined ? "No rc file: hooklet's own defaults." : `rc file: ${file}`,
    // The strongest first, as the rc file itself stands above them all.
    ...[...extended].reverse().map((base) => `extends: ${base}`),
    "",
    table(["PLUGIN", "RUNS", "WHY"], pluginRows(config)),
    "",
    table(
      ["SETTING", "VALUE", "ORIGIN"],
      effective.map(({ path, value, origin }) => [path, valueText(value), origin]),
    ),
    "",
  ].join("\n");
}

function pluginRows({ plugins, switchedOff = [] }: AgentConfig): readonly (readonly string[])[] {
  return [
    ...plugins.map(({ plugin, origin }) => [plugin.meta.name, "yes", origin]),
    ...switchedOff.map(({ specifier, origin }) => [specifier, "no", `switched off: ${origin}`]),
  ];
}

function valueText(value: unknown): string {
  return typeof value === "string" ? value : foundText(value);
}
