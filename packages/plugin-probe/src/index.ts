/** @hooklet/plugin-probe: the plugin by default, its pure parts by name. */
import { createProbePlugin } from "./plugin.js";

export { type Action, actionOf } from "./actions.js";
export { type ContainerFacts, type ProbedStatus, probedStatus } from "./container-status.js";
export { execCommand } from "./handlers/exec.js";
export { grpcProbe } from "./handlers/grpc.js";
export { type HttpRequest, httpProbe } from "./handlers/http.js";
export { headerMap, KUBE_VERSION, wireHeaders } from "./handlers/http-headers.js";
export { type ProbeNetwork, realNetwork } from "./handlers/run.js";
export type { SimulatedProbe, SimulatedProbes } from "./handlers/simulated.js";
export { findPort, type PortFound, probeUrl, type Target, targetOf, type Url, urlText } from "./handlers/target.js";
export { tcpProbe } from "./handlers/tcp.js";
export {
  collectOutput,
  type ExecOutcome,
  execVerdict,
  type GrpcOutcome,
  grpcVerdict,
  httpVerdict,
} from "./handlers/verdict.js";
export type { ProbeOptions } from "./options.js";
export { createProbePlugin } from "./plugin.js";
export { ProbedPods, stopLivenessAndStartup } from "./probed-pods.js";
export { ResultCache } from "./results.js";
export { probeRound, type Round, roundOf } from "./round.js";
export { type Job, Scheduler } from "./schedule/scheduler.js";
export { kubelet, type Schedule, type ScheduleInput, schedules, spread } from "./schedule/strategies.js";
export { type Attempt, type ProbeKind, type ProbeSpec, probeKinds, type RawResult, type Result } from "./types.js";
export {
  type ContainerLook,
  newWorker,
  next,
  type PodLook,
  type WorkerRule,
  type WorkerState,
} from "./worker/machine.js";
export { willRestart } from "./worker/restart.js";
export { probeSpec } from "./worker/spec.js";
export { ProbeWorker, type WorkerPorts } from "./worker/worker.js";

export default createProbePlugin();
