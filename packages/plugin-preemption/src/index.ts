/** The kubelet's preemption as a hooklet plugin, and its pure parts. */
export { type Candidate, candidateOf, candidatesFor, inOrder } from "./candidate.js";
export { leastDisruption } from "./least-disruption.js";
export { plugin as default, plugin as preemption } from "./plugin.js";
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
export { kubelet, lowestPriorityFirst, victimsStrategies } from "./strategies.js";
export type { Nobody, Victim, VictimsInput, VictimsStrategy } from "./strategy.js";
