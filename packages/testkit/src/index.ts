/** The public surface of @hooklet/testkit. What needs no jest is also at `@hooklet/testkit/simulation`. */
export { describeRuntime } from "./describe-runtime.js";
export type { RuntimeHarness, RuntimePowers } from "./runtime-suite/harness.js";
export { type Program, type Programs, posixPrograms } from "./runtime-suite/programs.js";
export * from "./simulation.js";
