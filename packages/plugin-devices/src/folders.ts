/** Where sockets and checkpoint lie. */
import { join } from "node:path";
import { USUAL_ROOT_DIR } from "@hooklet/core/base";
import type { DevicesOptions } from "./options.js";

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
