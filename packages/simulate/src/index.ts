/** @hooklet/simulate: scenarios of a node in virtual time. */

export { type SimulationHost, scenarioConfig, type Variant } from "./config/scenario-config.js";
export type { Figures, FigureTable } from "./records/figures.js";
export type { FinalState, Happening, SimulationRecord } from "./records/record.js";
export { type Failure, failuresOf, type Outcome } from "./run/outcome.js";
export { type SimulationInput, simulate } from "./run/simulation.js";
export { parseScenario, readScenario, type Scenario } from "./scenario/read.js";
export { type ScenarioFile, scenarioJsonSchema, scenarioSchema } from "./scenario/schema.js";
export { type Job, runJob } from "./subprocess/job.js";
export { ScenarioFaultsError } from "./values/scenario-faults.js";
