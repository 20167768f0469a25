/** One probe round: a place among the handler's probes, up to three attempts, the worker's result and the event (the kubelet's prober.go). */
import { allContainers, type NodeContext } from "@hooklet/core";
import type { MakeAttempt, ProbeNetwork } from "./handlers/attempt.js";
import type { ProbeLimits } from "./probe-limits.js";
import { type Attempt, kindText, type ProbeKind, type Round, type RoundEvent, type TimedRound } from "./types.js";
import type { ProbeWorker } from "./worker/worker.js";

const MAX_ATTEMPTS = 3;

/** Attempts follow each other at once, and only as long as they end with an error. */
export async function probeRound(kind: ProbeKind, attempt: () => Promise<Attempt>): Promise<Round> {
  let last = await attempt();
  for (let made = 1; made < MAX_ATTEMPTS && last.error !== undefined; made++) last = await attempt();
  return roundOf(kind, last);
}

export function roundOf(kind: ProbeKind, { result, output, error }: Attempt): Round {
  const event = (reason: RoundEvent["reason"], message: string) => ({
    event: { type: "Warning", reason, message: `${kindText(kind)} probe ${message}` } as const,
  });
  if (error !== undefined) {
    return {
      result: "failure",
      error: true,
      output: error,
      ...event("Unhealthy", `errored and resulted in ${result} state: ${error}`),
    };
  }
  switch (result) {
    case "success":
      return { result: "success", error: false, output };
    case "warning":
      return { result: "success", error: false, output, ...event("ProbeWarning", `warning: ${output}`) };
    case "failure":
      return { result: "failure", error: false, output, ...event("Unhealthy", `failed: ${output}`) };
    case "unknown":
      return { result: "failure", error: false, output };
  }
}

export interface RoundPorts {
  readonly ctx: Pick<NodeContext, "clock" | "runtime" | "pods" | "events" | "log">;
  readonly network: ProbeNetwork;
  readonly make: MakeAttempt;
  readonly limits: ProbeLimits;
}

/** A round of the worker, once its handler has a free slot. Never rejects. */
export async function timedRound(ports: RoundPorts, worker: ProbeWorker): Promise<TimedRound> {
  const { clock, log } = ports.ctx;
  const release = await ports.limits.take(worker.spec.handler);
  const began = clock.monotonic();
  try {
    const made = worker.stopped ? undefined : await round(ports, worker);
    return { round: made, milliseconds: clock.monotonic() - began };
  } catch (error) {
    log.error(
      { err: error, container: worker.container },
      `a ${worker.spec.kind} probe crashed; the next one comes in its turn`,
    );
    return { milliseconds: clock.monotonic() - began };
  } finally {
    release();
  }
}

async function round({ ctx, network, make }: RoundPorts, worker: ProbeWorker): Promise<Round | undefined> {
  const { clock, runtime, pods, events } = ctx;
  const { container: name, spec, podUid } = worker;
  const pod = pods.get(podUid);
  const container = pod && allContainers(pod).find((own) => own.name === name);
  if (pod === undefined || container === undefined) return undefined;
  const subject = { container, containerId: worker.state.containerId, podIp: pod.status?.podIP ?? "" };
  const made = await probeRound(spec.kind, () => make({ clock, runtime, network }, spec, subject));
  if (worker.stopped) return undefined;
  if (made.event !== undefined) {
    const { type, reason, message } = made.event;
    events.pod(pod, type, reason, message, name);
  }
  return made;
}
