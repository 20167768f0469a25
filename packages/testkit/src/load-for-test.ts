import { join } from "node:path";
import { checkPlugin, type Importer, nodeModules, parseOptions } from "@hooklet/config";
import type { NodePlugin } from "@hooklet/core";
import type { LoadedPlugin } from "@hooklet/core/internal";

/** What is wrong with a plugin or its options: each fault with its place, as the rc file's reader tells it. */
export class PluginOptionsError extends Error {
  override readonly name = "PluginOptionsError";

  constructor(
    plugin: string,
    /** Dotted paths of the options that are wrong. */
    readonly fields: readonly string[],
    texts: readonly string[],
  ) {
    super(`The options of plugin ${plugin} are refused: ${texts.join("; ")}`);
  }
}

/** `{ use: FILE }` is found from the folder. */
function importerFrom(folder: string): Importer {
  const from = join(folder, "the test");
  return { modules: nodeModules, from: () => from, hooklet: from, trust: () => undefined };
}

/**
 * The plugin with the options that an rc file in `folder` gives it, checked and made the way the agent does it.
 * @throws PluginOptionsError
 */
export async function loadForTest<Options>(
  plugin: NodePlugin<Options>,
  raw: unknown,
  folder = process.cwd(),
): Promise<LoadedPlugin> {
  const checked = checkPlugin(plugin, "the test", []);
  if ("faults" in checked) throw refused(plugin, checked.faults);
  const parsed = await parseOptions(
    { plugin: checked.plugin, schema: checked.schema, raw, path: [] },
    importerFrom(folder),
  );
  if (parsed.faults !== undefined) throw refused(plugin, parsed.faults);
  const { name } = plugin.meta;
  const { options, strategies, written } = parsed;
  return {
    plugin: checked.plugin,
    options,
    strategies,
    written,
    specifier: name,
    origin: "the test",
    file: "the test",
  };
}

interface Fault {
  readonly path: readonly (string | number)[];
  readonly expected: string;
  readonly found: string;
}

function refused(plugin: { readonly meta?: { readonly name?: string } }, faults: readonly Fault[]): PluginOptionsError {
  const fields = faults.map(({ path }) => path.join("."));
  const texts = faults.map(({ expected, found }, index) => `${fields[index]}: expected ${expected}, found ${found}`);
  return new PluginOptionsError(plugin.meta?.name ?? "without a name", fields, texts);
}
