/** The public entry of @hooklet/sim: a node in virtual time. */
export { during, VirtualClock, type VirtualClockOptions } from "./clock/virtual-clock.js";
export { mountMemoryDisk } from "./disk/memory-disk.js";
export type { CgroupVersion } from "./machine/cgroups.js";
export { KernelTree, type KernelTreeOptions } from "./machine/kernel-tree.js";
export { type HostOperation, SimulatedHost, type SimulatedHostOptions } from "./machine/simulated-host.js";
export { SimulatedNode, type SimulatedNodeParts } from "./node/simulated-node.js";
export { SimulatedSource, type SimulatedSourceOptions, type SourceWatchers } from "./node/simulated-source.js";
export type { ContainerRecord } from "./runtime/container-records.js";
export type { ImageDisk, SimulatedImage, SimulatedImageFs } from "./runtime/images.js";
export type { RuntimeOperation, RuntimeWatchers } from "./runtime/operations.js";
export type { Exit, SimulatedProcess, SimulatedProgram } from "./runtime/process.js";
export type { ProgramTable } from "./runtime/programs.js";
export type { ExecTarget, SimulatedExecResult, Target } from "./runtime/scripts.js";
export type { SimulatedRuntimeOptions } from "./runtime/simulated-port.js";
export { SimulatedRuntime } from "./runtime/simulated-runtime.js";
