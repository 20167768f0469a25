import type { Clock } from "../../clock.js";
import type { AgentConfig } from "../../config/types.js";
import { manifestFolder } from "../../sources/manifest-folder.js";
import { manifestUrl } from "../../sources/manifest-url.js";
import type { PodSource } from "../../sources/port.js";

/** The sources that the configuration names; that of the control socket is the agent's own. */
export function configSources({ sources, node }: AgentConfig, clock: Clock): readonly PodSource[] {
  const { manifests, manifestUrl: url, manifestUrlHeader: headers, fileCheckFrequency, httpCheckFrequency } = sources;
  const nodeName = node.name;
  return [
    ...(manifests === null ? [] : [manifestFolder({ path: manifests, nodeName, fileCheckFrequency, clock })]),
    ...(url === null ? [] : [manifestUrl({ url, headers, nodeName, httpCheckFrequency, clock })]),
  ];
}
