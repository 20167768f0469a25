import type { Clock } from "@hooklet/core/base";
import type { AgentConfig, PodSource } from "@hooklet/core/host";
import { manifestFolder, manifestUrl } from "@hooklet/core/host";

/** The sources that the configuration names; that of the control socket is the agent's own. */
export function configSources({ sources, node }: AgentConfig, clock: Clock): readonly PodSource[] {
  const { manifests, manifestUrl: url, manifestUrlHeader: headers, fileCheckFrequency, httpCheckFrequency } = sources;
  const nodeName = node.name;
  return [
    ...(manifests === null ? [] : [manifestFolder({ path: manifests, nodeName, fileCheckFrequency, clock })]),
    ...(url === null ? [] : [manifestUrl({ url, headers, nodeName, httpCheckFrequency, clock })]),
  ];
}
