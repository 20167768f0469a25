/** For hooklet's own benchmarks and recorded facts. Any of it may change in any version. */
export { type Candidate, candidateOf, candidatesFor, inOrder } from "./candidate.js";
export { smallerResourceRequest } from "./pods-to-preempt.js";
export { preempting, searchFailed } from "./preemptor.js";
export {
  distance,
  type Repair,
  type Requests,
  type Requirement,
  repairOf,
  requirementOf,
  requirementsText,
  subtract,
} from "./requirements.js";
export { type Selection, type SelectionInput, selectVictims } from "./select.js";
export { kubelet, leastDisruption, lowestPriorityFirst, victimsStrategies } from "./strategies.js";
