/** `hooklet check --from-kubelet FILE`: the rc file that says the same, and what it cannot say. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { printText, tell } from "@hooklet/cli/extend";
import { readInput } from "@hooklet/cli/print";
import { isConfigFaultsError, rcJsonSchema } from "@hooklet/config";
import type { AgentConfig } from "@hooklet/core/host";
import { isRecord } from "@hooklet/manifest";
import { invalid } from "@hooklet/utils";
import { parse, stringify } from "yaml";
import type { AgentContext } from "../../agent-context.js";
import { contextConfig } from "../../run/boot-config.js";
import { fromKubelet, type Known, type Translated } from "./kubelet-fields.js";

export async function checkFromKubelet(context: AgentContext, file: string): Promise<number> {
  const { io } = context;
  const configuration: unknown = parse(await readInput(io, file));
  if (!isRecord(configuration) || configuration.kind !== "KubeletConfiguration")
    throw invalid(file, "a KubeletConfiguration", isRecord(configuration) ? configuration.kind : configuration);
  // Of the node, and of the plugins that run here without an rc file.
  const here = await inEmptyFolder("{}\n", (config) => contextConfig(context, { config }));
  const { rc, left } = rcOfKubelet(configuration, here);
  const text = `# From ${file}, a KubeletConfiguration.\n${stringify(rc, { aliasDuplicateObjects: false })}`;
  await printText(io.stdout, text);
  for (const reason of new Set(left.map(({ why }) => why))) {
    const fields = left.flatMap(({ field, why }) => (why === reason ? [field] : []));
    await tell(io, `no counterpart: ${fields.join(", ")}: ${reason}`);
  }
  const faults = await faultsOf(context, text);
  for (const fault of faults) await tell(io, `error: ${fault}`);
  return faults.length === 0 ? 0 : 1;
}

/** A KubeletConfiguration as an rc file for the plugins of `config`. */
export function rcOfKubelet(
  configuration: Readonly<Record<string, unknown>>,
  config: Pick<AgentConfig, "plugins">,
): Translated {
  return fromKubelet(configuration, knownOptions(config));
}

/** Names that fields may have a place by: options of the node, and of the configuration's plugins. */
function knownOptions({ plugins }: Pick<AgentConfig, "plugins">): Known {
  const schema = rcJsonSchema() as { readonly properties?: { readonly node?: { readonly properties?: object } } };
  const node = new Set(Object.keys(schema.properties?.node?.properties ?? {}));
  const options = plugins.map(({ plugin, options: parsed }): [string, ReadonlySet<string>] => [
    plugin.meta.name.replace(/^.*\/plugin-/, ""),
    new Set(isRecord(parsed) ? Object.keys(parsed) : []),
  ]);
  return { node, plugins: new Map(options) };
}

async function faultsOf(context: AgentContext, text: string): Promise<readonly string[]> {
  try {
    await inEmptyFolder(text, (config) => contextConfig(context, { config }));
    return [];
  } catch (error) {
    if (!isConfigFaultsError(error)) throw error;
    return error.faults.map(({ path, expected, found }) => `${path}: expected ${expected}, found ${found}`);
  }
}

async function inEmptyFolder<T>(text: string, work: (config: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), "hooklet-check-"));
  try {
    const config = join(folder, "hookletrc.yaml");
    await writeFile(config, text);
    return await work(config);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
