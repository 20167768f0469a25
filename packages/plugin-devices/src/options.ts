/** The plugin's options in the rc file. The defaults are the kubelet's behaviour, but for `waitForPlugins`. */

import { join } from "node:path";
import { duration, type OptionsSchema } from "@hooklet/core";
import { USUAL_ROOT_DIR } from "@hooklet/core/base";
import { type TopologyPolicy, type TopologyScope, topologyPolicies, topologyScopes } from "./topology/policy.js";

export interface DevicesOptions {
  readonly topologyManagerPolicy: TopologyPolicy;
  readonly topologyManagerScope: TopologyScope;
  /** Seconds. */
  readonly waitForPlugins: number;
  readonly onUnhealthy: "none" | "restart" | "evict";
  readonly devicePluginDirectory?: string | undefined;
  readonly pluginRegistryDirectory?: string | undefined;
  readonly podResourcesDirectory?: string | undefined;
}

export const options: OptionsSchema<DevicesOptions> = (z) => {
  const folder = (what: string, standard: string) =>
    z.string().startsWith("/").max(90).optional().describe(`${what}; default ${standard} (see Folders).`);
  return z.object({
    topologyManagerPolicy: z
      .enum(topologyPolicies)
      .default("none")
      .describe("How strictly devices of one container (scope pod: of one pod) come from the same NUMA nodes."),
    topologyManagerScope: z
      .enum(topologyScopes)
      .default("container")
      .describe("Whether containers or pods are aligned."),
    waitForPlugins: duration("0s", "10m")
      .prefault("30s")
      .describe("How long after the agent's start pods wait for plugins that were there before; 0s: rejected at once."),
    onUnhealthy: z
      .enum(["none", "restart", "evict"])
      .default("none")
      .describe("What happens to containers whose device becomes unhealthy. restart: they get other devices."),
    devicePluginDirectory: folder("Folder of kubelet.sock and of the checkpoint", "/var/lib/kubelet/device-plugins"),
    pluginRegistryDirectory: folder("Folder that is watched for plugins", "/var/lib/kubelet/plugins_registry"),
    podResourcesDirectory: folder("Folder of the pod resources API's kubelet.sock", "/var/lib/kubelet/pod-resources"),
  });
};

/** Where sockets and checkpoint lie. */
export interface Folders {
  readonly devicePlugins: string;
  readonly pluginRegistry: string;
  readonly podResources: string;
}

const KUBELET_ROOT = "/var/lib/kubelet";

/**
 * The kubelet's folders, which device plugins have in their manifests. An agent with another root dir
 * (a second one on the machine, a test, an ordinary user's) keeps them below that.
 */
export function foldersOf(rootDir: string, options: Partial<DevicesOptions>): Folders {
  const base = rootDir === USUAL_ROOT_DIR ? KUBELET_ROOT : rootDir;
  return {
    devicePlugins: options.devicePluginDirectory ?? join(base, "device-plugins"),
    pluginRegistry: options.pluginRegistryDirectory ?? join(base, "plugins_registry"),
    podResources: options.podResourcesDirectory ?? join(base, "pod-resources"),
  };
}
