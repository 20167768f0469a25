/** Rounds for real: a place in the handler's budget, the attempts, the event. */
import { allContainers, type NodeContext } from "@hooklet/core";
import type { Budgets } from "./budgets.js";
import type { MakeAttempt, ProbeNetwork } from "./handlers/run.js";
import { probeRound, type Round } from "./round.js";
import type { ProbeWorker } from "./worker/worker.js";

export interface RoundPorts {
  readonly ctx: Pick<NodeContext, "clock" | "runtime" | "pods" | "events" | "log">;
  readonly network: ProbeNetwork;
  readonly make: MakeAttempt;
  readonly budgets: Budgets;
}

/** `done` gets undefined when there was nothing to probe any more, or the round crashed; the worker goes on either way. */
export function startRound(
  ports: RoundPorts,
  worker: ProbeWorker,
  done: (round: Round | undefined, milliseconds: number) => void,
): void {
  const { clock, log } = ports.ctx;
  ports.budgets.take(worker.spec.handler, (release) => {
    const began = clock.monotonic();
    const end = (round: Round | undefined): void => {
      release();
      done(round, clock.monotonic() - began);
    };
    if (worker.stopped) return end(undefined);
    round(ports, worker).then(end, (error: unknown) => {
      log.error(
        { err: error, container: worker.container },
        `a ${worker.spec.kind} probe crashed; the next one comes in its turn`,
      );
      end(undefined);
    });
  });
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
