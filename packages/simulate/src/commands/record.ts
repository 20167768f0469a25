/** `hooklet record`: a scenario of a node as it is now. */

import { writeFile } from "node:fs/promises";
import { basename, dirname, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { printText, tell, withAgent } from "@hooklet/cli/extend";
import { isConfigFaultsError, loadConfig, type RcFile } from "@hooklet/config";
import { errorText, NodeAgentError } from "@hooklet/core";
import { stringify } from "yaml";
import { clockText } from "../print/clock-text.js";
import { fromFiles, fromKubelet, merged } from "../record/find.js";
import type { Observed } from "../record/observed.js";
import { fromRc, fromSettings, type RecordedConfig, without } from "../record/recorded-config.js";
import { recordedScenario } from "../record/scenario.js";
import { parseScenario } from "../scenario/read.js";
import { readTrace } from "../trace/read.js";
import type { ScenarioContext } from "./options.js";

export interface RecordOptions {
  readonly kubelet?: string;
  readonly checkpoint?: string;
  readonly images?: string;
  readonly fromFiles?: string;
  readonly fromTrace?: string;
  readonly withEnv?: boolean;
  readonly outputFile?: string;
}

const HEAD =
  "# Recorded by hooklet record. See docs/reference/scenarios.md; add what happens next, and what you expect.\n";

export async function record(context: ScenarioContext, options: RecordOptions): Promise<number> {
  const { io } = context;
  const warn = (text: string): Promise<void> => tell(io, `warning: ${text}`);
  const file = resolve(io.cwd(), options.outputFile ?? "recorded.yaml");
  // The output may end up in any file.
  const fileName = (named: string): string => (options.outputFile === undefined ? named : beside(file, named));
  const scenario =
    options.fromTrace === undefined
      ? await recorded(context, options, { file, fileName, warn })
      : await fromTrace(resolve(io.cwd(), options.fromTrace), fileName, warn);
  const text = `${HEAD}${stringify(scenario, { lineWidth: 150, aliasDuplicateObjects: false })}`;
  // What this writes has to be a scenario.
  await parseScenario(text, file);
  if (options.outputFile === undefined) await printText(io.stdout, text);
  else await writeFile(file, text, { mode: 0o600 });
  return 0;
}

/** Where a recording goes. */
interface Target {
  /** Absolute. */
  readonly file: string;
  /** How it names another file. */
  readonly fileName: (file: string) => string;
  readonly warn: (text: string) => Promise<void>;
}

async function recorded(context: ScenarioContext, options: RecordOptions, target: Target): Promise<object> {
  const { io } = context;
  const path = (name: string): string => resolve(io.cwd(), name);
  const files = [options.fromFiles?.split(",") ?? [], options.checkpoint ?? [], options.images ?? []].flat().map(path);
  const found = await observed(context, options, target.warn);
  const seen = merged([found, await fromFiles(files)]);
  if (seen.pods === undefined) {
    throw new NodeAgentError("INVALID", "record: expected pods among what was given, found none.");
  }
  const config = await usable(context, await configOf(context, seen, target), target);
  return recordedScenario(seen, config, { withEnv: options.withEnv === true });
}

async function observed(
  context: ScenarioContext,
  { kubelet, fromFiles: given }: RecordOptions,
  warn: (text: string) => Promise<void>,
): Promise<Observed> {
  if (kubelet !== undefined) return fromKubelet(kubelet, context.io.clock, warn);
  if (given !== undefined) return {};
  let found: Observed = {};
  await withAgent(context, async (client) => {
    const [pods, images, configz, node] = await Promise.all([
      client.pods(),
      client.images(),
      client.configz(),
      client.node(),
    ]);
    const summary = await client.statistics().catch(async (error: unknown) => {
      await warn(`what pods and disks use is left out: ${errorText(error)}`);
      return undefined;
    });
    const { settings } = configz as unknown as Pick<Observed, "settings">;
    const capacity = {
      cpu: `${node.capacity.cpu ?? 0}m`,
      memory: String(node.capacity.memory ?? 0),
      pods: String(node.capacity.pods ?? 110),
    };
    found = {
      pods: pods as unknown as NonNullable<Observed["pods"]>,
      images,
      node: { metadata: { name: node.name, labels: node.labels }, status: { capacity } } as NonNullable<
        Observed["node"]
      >,
      ...(settings === undefined ? {} : { settings }),
      ...(summary === undefined ? {} : { summary: summary as NonNullable<Observed["summary"]> }),
    };
    return 0;
  });
  return found;
}

async function configOf(
  { host }: ScenarioContext,
  { settings, kubeletConfig }: Observed,
  { fileName, warn }: Target,
): Promise<RecordedConfig> {
  const sources = Object.values(host.sourcePlugins ?? {}).map(({ specifier }) => specifier);
  if (settings !== undefined) return fromSettings(settings, fileName, sources);
  if (kubeletConfig === undefined) return {};
  const none: RcFile = { file: fileURLToPath(host.url), raw: {}, locate: () => undefined };
  const defaults = await loadConfig({ hooklet: host.url, plugins: host.plugins, rc: none, hostname: "node1" });
  const { rc, left } = await host.rcOfKubelet(kubeletConfig, defaults);
  for (const { field, why } of left) await warn(`${field} is left out: ${why}`);
  return fromRc(rc);
}

/** Without what this hooklet does not take: a kubelet of another version may have other options. */
async function usable(
  { host }: ScenarioContext,
  config: RecordedConfig,
  { file, warn }: Target,
): Promise<RecordedConfig> {
  let left = config;
  // The file is not there yet, which an rc file has to be.
  const none: RcFile = { file: fileURLToPath(host.url), raw: {}, locate: () => undefined };
  for (;;) {
    const over = [{ file, raw: left as RcFile["raw"], place: () => ({ file }) }];
    try {
      await loadConfig({ hooklet: host.url, plugins: host.plugins, rc: none, over, hostname: "node1" });
      return left;
    } catch (error) {
      const [fault] = isConfigFaultsError(error) ? error.faults : [];
      const less = fault === undefined ? undefined : without(left, fault.path);
      if (fault === undefined || less === undefined) throw error;
      await warn(`${fault.path} is left out: expected ${fault.expected}, found ${fault.found}`);
      left = less;
    }
  }
}

/** A path from one file to another, as a scenario has it. */
function beside(from: string, to: string): string {
  const path = relative(dirname(from), to);
  return path.startsWith(".") ? path : `./${path}`;
}

// `hooklet record --from-trace FILE.csv`.

/** After the last pod has ended. */
const REST = 60;

/** A scenario of the trace, on a node that has room for its largest pod. @param named what the scenario calls the file. @throws ScenarioFaultsError */
export async function fromTrace(
  file: string,
  named: (file: string) => string,
  warn: (text: string) => Promise<void>,
): Promise<object> {
  const pods = await readTrace(file);
  if (pods.length === 0) await warn(`${file} has no pod with a beginning and an end`);
  const end = pods.reduce((last, { arrival, duration }) => Math.max(last, arrival + duration), 0);
  const largest = (of: (pod: (typeof pods)[number]) => number | undefined): number =>
    pods.reduce((most, pod) => Math.max(most, of(pod) ?? 0), 0);
  return {
    description: `${pods.length} pods of ${basename(file)}`,
    node: {
      cpu: String(Math.max(16, Math.ceil(largest(({ cpu }) => cpu) * 2))),
      memory: String(Math.max(64 * 1024 ** 3, largest(({ memory }) => memory) * 2)),
    },
    trace: { file: named(file) },
    until: clockText(Math.ceil(end) + REST),
    expect: [],
  };
}
