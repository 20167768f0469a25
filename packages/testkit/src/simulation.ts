/** What the simulator and tests share: it imports no jest, so that the binary can load it. */
export type { SimulatedImage, SimulatedImageFs } from "./simulated/images.js";
export type { RuntimeOperation } from "./simulated/operations.js";
export type { SimulatedRuntimeOptions } from "./simulated/port.js";
export type { Exit, SimulatedProcess, SimulatedProgram } from "./simulated/process.js";
export { type ProgramTable, simulatedPrograms } from "./simulated/programs.js";
export type { ExecTarget, SimulatedExecResult, Target } from "./simulated/scripts.js";
export { SimulatedRuntime } from "./simulated-runtime.js";
export { VirtualClock, type VirtualClockOptions } from "./virtual-clock.js";
