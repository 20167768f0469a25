/** The public surface of @hooklet/testkit. What needs no jest is also at `@hooklet/testkit/simulation`. */
export { aContainer, aPod, type ContainerParts, type PodParts } from "./builders.js";
export { describePlugin } from "./describe-plugin.js";
export { describeRuntime } from "./describe-runtime.js";
export type { PluginSuite } from "./plugin-suite/suite.js";
export type { RuntimeHarness, RuntimePowers } from "./runtime-suite/harness.js";
export { type Program, type Programs, posixPrograms } from "./runtime-suite/programs.js";
export type { SimulatedImage, SimulatedImageFs } from "./simulated/images.js";
export type { RuntimeOperation } from "./simulated/operations.js";
export type { SimulatedRuntimeOptions } from "./simulated/port.js";
export type { Exit, SimulatedProcess, SimulatedProgram } from "./simulated/process.js";
export { type ProgramTable, simulatedPrograms } from "./simulated/programs.js";
export type { ExecTarget, SimulatedExecResult, Target } from "./simulated/scripts.js";
export { SimulatedRuntime } from "./simulated-runtime.js";
export { startTestPlugin, type TestPluginOptions } from "./start-test-plugin.js";
export { PluginOptionsError } from "./test-plugin/options.js";
export type { PodRequest, RecordedEvent } from "./test-plugin/records.js";
export type { TestPlugin } from "./test-plugin/test-plugin.js";
export { VirtualClock, type VirtualClockOptions } from "./virtual-clock.js";
