/** Loads plugins and rc files the way the agent does. */
import { join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { type LoadConfigInput, loadConfig, nodeModules, type RcFile } from "@hooklet/config";
import type { LoadedPlugin } from "@hooklet/core/internal";
import type { TestNodeOptions } from "./config.js";

export interface FromFiles {
  readonly plugins: readonly LoadedPlugin[];
  /** The node settings of the rc file. */
  readonly node: TestNodeOptions;
}

/**
 * An rc file with all that it extends: default plugins run too, where the package `hooklet` is found from there.
 * @throws ConfigFaultsError
 */
export async function fromRcFile(file: string, folder: string): Promise<FromFiles> {
  const config = resolve(folder, file);
  return load({ ...(await hookletFrom(config)), cwd: folder, flags: { config } });
}

/** One entry of an rc file's `plugins`: a path or package name with its options. @throws ConfigFaultsError */
export async function fromEntry(specifier: string, options: unknown, folder: string): Promise<readonly LoadedPlugin[]> {
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
