/** The kubelet's graceful node shutdown as a hooklet plugin, and its pure parts. */
export { type Group, graceOf, groupByPriority, longest, type Period, periodsOf } from "./groups.js";
export type { Lock, Logind } from "./logind.js";
export { plugin as default, plugin as shutdown } from "./plugin.js";
export { logind } from "./processes.js";
