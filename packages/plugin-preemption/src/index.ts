/** The kubelet's preemption as a hooklet plugin. */
export { plugin as default, plugin as preemption } from "./plugin.js";
export { victimsFault } from "./select.js";
export type { Declined, Victim, VictimsInput, VictimsStrategy } from "./victims.js";
