/** Where sockets and checkpoint lie. */
import { join } from "node:path";
import type { DevicesOptions } from "./options.js";

export interface Folders {
  readonly devicePlugins: string;
  readonly pluginRegistry: string;
  readonly podResources: string;
}

/** The root dir of an agent that nobody told another one. */
const DEFAULT_ROOT = "/var/lib/hooklet";
const KUBELET_ROOT = "/var/lib/kubelet";

/**
 * The kubelet's own folders, which device plugins have written into their manifests. An agent with a root dir of its own
 * (a second one on the machine, a test, a user's) keeps them below that.
 */
export function foldersOf(rootDir: string, options: Partial<DevicesOptions>): Folders {
  const base = rootDir === DEFAULT_ROOT ? KUBELET_ROOT : rootDir;
  return {
    devicePlugins: options.devicePluginDirectory ?? join(base, "device-plugins"),
    pluginRegistry: options.pluginRegistryDirectory ?? join(base, "plugins_registry"),
    podResources: options.podResourcesDirectory ?? join(base, "pod-resources"),
  };
}
