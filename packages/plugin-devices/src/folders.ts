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
 * The kubelet's own folders, which device plugins have written into their manifests. An agent with a root dir of its own
 * (a second one on the machine, a test, a user's) keeps them below that.
 */
export function foldersOf(rootDir: string, options: Partial<DevicesOptions>): Folders {
  const base = rootDir === USUAL_ROOT_DIR ? KUBELET_ROOT : rootDir;
  return {
    devicePlugins: options.devicePluginDirectory ?? join(base, "device-plugins"),
    pluginRegistry: options.pluginRegistryDirectory ?? join(base, "plugins_registry"),
    podResources: options.podResourcesDirectory ?? join(base, "pod-resources"),
  };
}
