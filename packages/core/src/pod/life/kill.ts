/** Kills one container as the kubelet does: event, preStop within the grace period, its turn, then TERM and KILL. */

import type { Runtime } from "@hooklet/cri-api";
import type { Container, Pod } from "@hooklet/manifest";
import { boundedSeconds, type Clock, errorText, pause, withDeadline } from "@hooklet/utils";
import type { Logger } from "pino";
import type { EventRecorder } from "../../plugin/contract.js";
import type { HandlerRunner } from "./handlers.js";

/** The kubelet's minimumGracePeriodInSeconds: what is left after preStop is never less. */
const MINIMUM_GRACE = 2;

export interface KillPorts {
  readonly clock: Clock;
  readonly log: Logger;
  readonly runtime: Pick<Runtime, "stopContainer">;
  readonly events: EventRecorder;
  readonly handlers: HandlerRunner;
}

export interface KillRequest {
  readonly pod: Pod;
  readonly container: Container;
  readonly containerId: string;
  readonly podIp: string;
  /** Text of the event; "" = "Stopping container NAME". */
  readonly message: string;
  /** Seconds; the pod's own when undefined. */
  readonly gracePeriodSeconds?: number;
  /** Resolves when this container may be stopped; never rejects. */
  readonly turn?: Promise<void> | undefined;
}

export async function killContainer(ports: KillPorts, request: KillRequest): Promise<void> {
  const { pod, container, containerId } = request;
  const { clock } = ports;
  const began = clock.monotonic();
  const asked = request.gracePeriodSeconds ?? pod.spec.terminationGracePeriodSeconds ?? MINIMUM_GRACE;
  const whole = boundedSeconds(asked);
  const left = (): number => whole - Math.floor((clock.monotonic() - began) / 1000);
  const message = request.message === "" ? `Stopping container ${container.name}` : request.message;
  ports.events.pod(pod, "Normal", "Killing", message, container.name);
  if (whole > 0) await preStop(ports, request, whole);
  if (request.turn !== undefined && left() > 0) {
    const waited = new AbortController();
    await Promise.race([request.turn, pause(clock, left() * 1000, waited.signal)]);
    waited.abort();
  }
  await ports.runtime.stopContainer(containerId, Math.max(MINIMUM_GRACE, left()));
}

async function preStop(ports: Omit<KillPorts, "runtime">, request: KillRequest, seconds: number): Promise<void> {
  const { pod, container, containerId, podIp } = request;
  const handler = container.lifecycle?.preStop;
  if (handler === undefined) return;
  const stop = new AbortController();
  try {
    const late = (): Error => {
      stop.abort(new Error("the grace period has passed"));
      return new Error(`PreStop hook not completed in grace period of ${seconds} s`);
    };
    const run = ports.handlers.run(handler, { pod, container, containerId, podIp }, seconds, stop.signal);
    await withDeadline(ports.clock, seconds * 1000, run, late);
  } catch (error) {
    ports.log.warn({ pod: pod.metadata.name, container: container.name }, `PreStop hook failed: ${errorText(error)}`);
    if (!stop.signal.aborted)
      ports.events.pod(pod, "Warning", "FailedPreStopHook", "PreStopHook failed", container.name);
  }
}
