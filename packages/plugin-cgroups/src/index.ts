/** @hooklet/plugin-cgroups: cgroups of pods as the kubelet keeps them, as a hooklet plugin. */
export { rootOfAgent } from "./opening/root.js";
export type { CgroupOptions } from "./options.js";
export type { WeightsStrategy } from "./plan/setting.js";
export { plugin as default, plugin as cgroups } from "./plugin.js";
