export * from "../sources/objects.js";
export * from "./contract/host.js";
export * from "./contract/node.js";
export * from "./contract/pods.js";
export * from "./contract/providers.js";
export * from "./contract/records.js";
export * from "./contract/runtime.js";
export * from "./contract/statistics.js";
export * from "./contract/strategy.js";
export * from "./contract/topology.js";
export * from "./contract/views.js";
export const PLUGIN_API = 1;
/** Gives a plugin its types; returns it unchanged. */
export function definePlugin(plugin) {
  return plugin;
}
