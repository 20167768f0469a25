import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type LoadConfigInput, loadConfig, nodeModules, type RcFile } from "@hooklet/config";
import type { NodePlugin, Pod } from "@hooklet/core";
import type { LoadedPlugin } from "@hooklet/core/internal";
import { loadForTest } from "./load-for-test.js";
import { runner } from "./runner.js";
import { TestAgent, type TestAgentParts, type TestNodeOptions } from "./test-agent/test-agent.js";

// biome-ignore lint/suspicious/noExplicitAny: plugins of any options stand side by side, each checked by its own schema
type AnyPlugin = NodePlugin<any>;

/** A plugin, or the file or package that it comes from; alone or with its options as the rc file has them. */
export type PluginEntry = AnyPlugin | string | readonly [plugin: AnyPlugin | string, options: unknown];

export interface TestAgentOptions extends Omit<TestAgentParts, "plugins"> {
  readonly plugins?: readonly PluginEntry[];
  /** An rc file: its plugins run with their options, and the default plugins too; its node settings are under `node`. */
  readonly rc?: string;
  /** The folder of the files of `rc`, `plugins` and their strategies (`{ use: FILE }`). Default: the working directory. */
  readonly folder?: string;
  /** Applied before the agent starts: ready pods or manifests. */
  readonly pods?: readonly (Pod | string)[];
  /** True: the agent outlives the test that starts it (for `beforeAll`), and must be stopped by hand. */
  readonly keep?: boolean;
}

const running = new Set<TestAgent>();

// Hooks cannot be registered within a test, so this stands at the import.
runner.afterEach(async () => {
  const agents = [...running];
  running.clear();
  for (const agent of agents) await agent.stop();
});

/**
 * Boots the whole core with the plugins on a simulated node in virtual time. It stops by itself after the test.
 * @throws PluginOptionsError when options are refused
 * @throws ConfigFaultsError when a file is missing, broken or says what it may not
 * @throws NodeAgentError when the agent cannot start
 */
export async function startTestAgent(options: TestAgentOptions = {}): Promise<TestAgent> {
  const { plugins: entries = [], pods = [], keep = false, rc, folder = process.cwd(), ...parts } = options;
  const { plugins, node }: FromFiles = rc === undefined ? { plugins: [], node: {} } : await fromRcFile(rc, folder);
  const loaded = [...plugins];
  for (const entry of entries) {
    const [plugin, raw] = isPair(entry) ? entry : [entry, undefined];
    if (typeof plugin === "string") loaded.push(...(await fromEntry(plugin, raw, folder)));
    else loaded.push(await loadForTest(plugin, raw, folder));
  }
  const agent = await TestAgent.make({ ...parts, node: { ...node, ...parts.node }, plugins: loaded });
  if (!keep) running.add(agent);
  for (const pod of pods) await agent.apply(pod);
  await agent.start();
  return agent;
}

function isPair(entry: PluginEntry): entry is Extract<PluginEntry, readonly unknown[]> {
  return Array.isArray(entry);
}

// Loads plugins and rc files the way the agent does.

interface FromFiles {
  readonly plugins: readonly LoadedPlugin[];
  /** The node settings of the rc file. */
  readonly node: TestNodeOptions;
}

/**
 * An rc file with all that it extends: default plugins run too, where the package `hooklet` is found from there.
 * @throws ConfigFaultsError
 */
async function fromRcFile(file: string, folder: string): Promise<FromFiles> {
  const config = resolve(folder, file);
  return load({ ...(await hookletFrom(config)), cwd: folder, flags: { config } });
}

/** One entry of an rc file's `plugins`: a path or package name with its options. @throws ConfigFaultsError */
async function fromEntry(specifier: string, options: unknown, folder: string): Promise<readonly LoadedPlugin[]> {
  const file = join(folder, "the test");
  const entry = options === undefined ? specifier : [specifier, options];
  // An rc file that says nothing: none is searched then.
  const rc: RcFile = { file: fileURLToPath(import.meta.url), raw: {}, locate: () => undefined };
  const over = [{ file, raw: { plugins: [entry] }, place: () => ({ file }) }];
  return (await load({ hooklet: import.meta.url, plugins: [], cwd: folder, rc, over })).plugins;
}

async function load(input: LoadConfigInput): Promise<FromFiles> {
  // Who else may write the files matters to a node, not to a test.
  const config = await loadConfig({ ...input, uid: -1, env: {}, hostname: "node1", systemFolder: input.cwd ?? "/" });
  const written = config.effective.flatMap(({ path, origin }) => {
    const [room, key] = path.split(".");
    return room === "node" && origin !== "default" && key !== undefined ? [key as keyof TestNodeOptions] : [];
  });
  return { plugins: config.plugins, node: Object.fromEntries(written.map((key) => [key, config.node[key]])) };
}

async function hookletFrom(file: string): Promise<Pick<LoadConfigInput, "hooklet" | "plugins">> {
  const found = nodeModules.resolve("hooklet", file);
  if (found === undefined) return { hooklet: import.meta.url, plugins: [] };
  const url = pathToFileURL(found).href;
  return {
    hooklet: url,
    plugins: ((await import(url)) as { readonly defaultPlugins: readonly string[] }).defaultPlugins,
  };
}
