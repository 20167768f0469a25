/** Which options there are: names that a KubeletConfiguration's fields may have a place by. */
import { type AgentConfig, rcJsonSchema } from "@hooklet/core/host";
import { isRecord } from "@hooklet/manifest";
import type { Known } from "./kubelet-fields.js";

/** Of the node, and of the configuration's plugins. */
export function knownOptions({ plugins }: Pick<AgentConfig, "plugins">): Known {
  const schema = rcJsonSchema() as { readonly properties?: { readonly node?: { readonly properties?: object } } };
  const node = new Set(Object.keys(schema.properties?.node?.properties ?? {}));
  const options = plugins.map(({ plugin, options: parsed }): [string, ReadonlySet<string>] => [
    plugin.meta.name.replace(/^.*\/plugin-/, ""),
    new Set(isRecord(parsed) ? Object.keys(parsed) : []),
  ]);
  return { node, plugins: new Map(options) };
}
