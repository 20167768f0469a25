/** For hooklet's own benchmarks and recorded facts. Any of it may change in any version. */

export { execCommand, grpcProbe, realNetwork, tcpProbe } from "./handlers/attempt.js";
export { type HttpRequest, httpProbe } from "./handlers/http.js";
export { headerMap, KUBE_VERSION, wireHeaders } from "./handlers/http-headers.js";
export { findPort, type PortFound, probeUrl, type Target, targetOf, type Url, urlText } from "./handlers/target.js";
export {
  collectOutput,
  type ExecOutcome,
  execVerdict,
  type GrpcOutcome,
  grpcVerdict,
  httpVerdict,
} from "./handlers/verdict.js";
export { createProbePlugin } from "./plugin.js";
export { probeRound, roundOf } from "./probe-round.js";
export { type ContainerFacts, type ProbedStatus, probedStatus } from "./probed-containers.js";
export { ProbedPods, stopLivenessAndStartup } from "./probed-pods.js";
export { ResultCache } from "./results.js";
export { type Job, Scheduler } from "./scheduler.js";
export { kubelet, schedules, spread } from "./schedules.js";
export { type ProbeSpec, probeKinds, type RawResult, type Result, type Round } from "./types.js";
export { probeSpec } from "./worker/spec.js";
export {
  type ContainerLook,
  newWorker,
  next,
  type PodLook,
  type WorkerRule,
  type WorkerState,
} from "./worker/state-machine.js";
export { ProbeWorker, type WorkerPorts } from "./worker/worker.js";
