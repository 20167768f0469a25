/** For hooklet's own benchmarks and recorded facts. Any of it may change in any version. */
export { cadvisorFamilies, cadvisorSamples } from "./metrics/cadvisor.js";
export { resourceFamilies, resourceSamples } from "./metrics/resource.js";
export { nodeMemory, readNodeUsage } from "./node-usage.js";
export { cpuTimesOf } from "./rates.js";
export { type MeasuredPod, podStatistics } from "./summary.js";
export { readProcessCounts, readTree } from "./tree.js";
