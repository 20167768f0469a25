import type { StepPorts } from "./steps.js";

/** All that the agent builds for the life of pods: what their steps need, and no more. */
export type PodLifePorts = StepPorts;
