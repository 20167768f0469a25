/** The kubelet's preemption as a hooklet plugin, and its pure parts. */
export { type Candidate, candidateOf, candidatesFor, inOrder } from "./candidate.js";
export { pick, smallestFirst } from "./pick/pick.js";
export { compareTies, type TieBreak } from "./pick/shape.js";
export { type PreemptionOptions, plugin as default, plugin as preemption } from "./plugin.js";
export {
  distance,
  type Requests,
  type Requirement,
  requirementOf,
  requirementsText,
  subtract,
} from "./requirements.js";
export { type Repair, repairOf } from "./rule.js";
export { type Selection, type SelectionInput, selectVictims } from "./select.js";
export { kubelet } from "./strategies/kubelet.js";
export { leastDisruption } from "./strategies/least-disruption.js";
export { lowestPriorityFirst } from "./strategies/lowest-priority-first.js";
export { victimsStrategies } from "./strategies/table.js";
export type { Nobody, Victim, VictimsInput, VictimsStrategy } from "./strategy.js";
export { preempting, searchFailed } from "./words.js";
