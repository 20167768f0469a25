/** @hooklet/plugin-stats, and its parts that benches measure. */

export { cadvisorFamilies, cadvisorSamples } from "./metrics/cadvisor.js";
export { resourceFamilies, resourceSamples } from "./metrics/resource.js";
export { nodeMemory, readNodeUsage } from "./node.js";
export { plugin as default, plugin as stats } from "./plugin.js";
export { cpuTimesOf } from "./rates.js";
export { type MeasuredPod, podStatistics } from "./summary.js";
export { readProcessCounts, readTree } from "./tree.js";
