/** @hooklet/plugin-probe: the kubelet's probes as a hooklet plugin. */
import { createProbePlugin } from "./plugin.js";

export { type MakeAttempt, type ProbeNetwork, probeAttempts } from "./handlers/attempt.js";
export type { ProbeOptions } from "./options.js";
export type { Schedule, ScheduleInput } from "./schedules.js";
export type { Attempt, ProbeKind } from "./types.js";

export default createProbePlugin();
