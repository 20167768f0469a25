/** For hooklet's own benchmarks and recorded facts. Any of it may change in any version. */
export { type Group, graceOf, groupByPriority, longest, type Period, periodsOf } from "./groups.js";
