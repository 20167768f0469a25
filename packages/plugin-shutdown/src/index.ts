/** The kubelet's graceful node shutdown as a hooklet plugin. */
export type { Lock, Logind } from "./logind.js";
export { logind } from "./logind.js";
export { plugin as default, plugin as shutdown } from "./plugin.js";
