/** The public entry of @hooklet/testkit: suites and builders for tests, and the node in virtual time that they stand on. */
export { bindSeam, type SeamBinding } from "@hooklet/core/internal";
export * from "@hooklet/sim";
export { aContainer, aPod, type ContainerParts, type PodParts } from "./builders.js";
export { describePlugin, describeRuntime, describeStrategy } from "./describe.js";
export { loadForTest, PluginOptionsError } from "./load-for-test.js";
export type { PluginSuite } from "./plugin-suite/plugin-suite.js";
export type { RuntimeHarness, RuntimePowers } from "./runtime-suite/harness.js";
export { type Program, type Programs, posixPrograms, simulatedPrograms } from "./runtime-suite/programs.js";
export { type PluginEntry, startTestAgent, type TestAgentOptions } from "./start-test-agent.js";
export type { StrategySuite } from "./strategy-suite/strategy-checks.js";
export type { TestNodeOptions } from "./test-agent/test-agent.js";
export { type LogLine, TestAgent, type TestAgentParts } from "./test-agent/test-agent.js";
