/** What needs no jest: for the simulator, benches and other test runners. `@hooklet/testkit` has it too. */
export { aContainer, aPod, type ContainerParts, type PodParts } from "./builders.js";
export { during } from "./during.js";
export type { CgroupVersion } from "./host/cgroups.js";
export { KernelTree, type KernelTreeOptions } from "./host/kernel-tree.js";
export { type HostOperation, SimulatedHost, type SimulatedHostOptions } from "./host/simulated-host.js";
export type { SimulatedImage, SimulatedImageFs } from "./simulated/images.js";
export type { RuntimeOperation } from "./simulated/operations.js";
export type { SimulatedRuntimeOptions } from "./simulated/port.js";
export type { Exit, SimulatedProcess, SimulatedProgram } from "./simulated/process.js";
export { type ProgramTable, simulatedPrograms } from "./simulated/programs.js";
export type { ContainerRecord } from "./simulated/records.js";
export type { ExecTarget, SimulatedExecResult, Target } from "./simulated/scripts.js";
export { SimulatedRuntime } from "./simulated-runtime.js";
export { type LogLine, TestAgent, type TestAgentParts } from "./test-agent/test-agent.js";
export type { TestNodeOptions } from "./test-node.js";
export { loadForTest, PluginOptionsError } from "./test-plugin/options.js";
export { VirtualClock, type VirtualClockOptions } from "./virtual-clock.js";
