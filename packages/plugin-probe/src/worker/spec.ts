/** A container's probes as workers need them: defaulted, with what annotations of the pod add. Pure. */
import type { Container, Pod } from "@hooklet/core";
import { annotationsOf, type ProbeAnnotations } from "../annotations.js";
import {
  type HandlerKind,
  type Probe,
  type ProbeKind,
  type ProbeSpec,
  probedContainers,
  probeKinds,
  probeOf,
} from "../types.js";

/** The API's defaults: zero is a value left out. */
export function probeSpec(kind: ProbeKind, probe: Probe, extras: ProbeAnnotations = {}): ProbeSpec {
  const { terminationGracePeriodSeconds: grace } = probe;
  return {
    kind,
    handler: handlerOf(probe),
    probe,
    initialDelaySeconds: probe.initialDelaySeconds ?? 0,
    periodMilliseconds: extras.periodMilliseconds ?? (probe.periodSeconds || 10) * 1000,
    timeoutMilliseconds: extras.timeoutMilliseconds ?? (probe.timeoutSeconds || 1) * 1000,
    successThreshold: probe.successThreshold || 1,
    failureThreshold: probe.failureThreshold || 3,
    ...(grace === undefined ? {} : { terminationGracePeriodSeconds: grace }),
    tls: extras.tls ?? false,
  };
}

/** The first handler that is set, in the API's order. */
function handlerOf({ exec, httpGet, tcpSocket, grpc }: Probe): HandlerKind | "none" {
  if (exec !== undefined) return "exec";
  if (httpGet !== undefined) return "http";
  if (tcpSocket !== undefined) return "tcp";
  return grpc === undefined ? "none" : "grpc";
}

export interface WantedWorker {
  readonly container: Container;
  readonly spec: ProbeSpec;
}

/** The workers that a pod needs, in the kubelet's order. */
export function wantedWorkers(pod: Pod): readonly WantedWorker[] {
  return probedContainers(pod).flatMap((container) =>
    probeKinds.flatMap((kind) => {
      const probe = probeOf(container, kind);
      if (probe === undefined) return [];
      return [{ container, spec: probeSpec(kind, probe, annotationsOf(pod, container.name, kind)) }];
    }),
  );
}
