/** A server that would let nobody in. Pure. */
import type { AgentConfig, SourcePlugins } from "@hooklet/core/host";

/** Undefined: nothing to warn of. A plugin of one's own may bring what answers, so that it is no fault. */
export function serverWarning(
  { server, plugins }: Pick<AgentConfig, "server" | "plugins">,
  sourcePlugins: SourcePlugins = {},
): string | undefined {
  if (server?.authorization.mode !== "Webhook") return undefined;
  const sources = new Set(Object.values(sourcePlugins).map(({ specifier }) => specifier));
  if (plugins.some(({ specifier }) => sources.has(specifier))) return undefined;
  return "server.authorization.mode is Webhook: the agent does not start unless a plugin answers for the API server: add sources.kube, or say AlwaysAllow";
}
