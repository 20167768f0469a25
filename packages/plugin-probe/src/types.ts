/** Words that all parts share. Pure. */
import { type Container, isSidecar, type Pod } from "@hooklet/core";
import type { EventType } from "@hooklet/core/subsystem";

/** In the order in which the kubelet makes the workers of one container. */
export const probeKinds = ["startup", "readiness", "liveness"] as const;
export type ProbeKind = (typeof probeKinds)[number];

/** What a worker stores. `unknown` is the initial value of startup alone. */
export type Result = "success" | "failure" | "unknown";

/** What a handler finds. */
export type RawResult = "success" | "warning" | "failure" | "unknown";

export type HandlerKind = "exec" | "http" | "tcp" | "grpc";

/** One attempt: what was found, or that it could not be found out. */
export interface Attempt {
  readonly result: RawResult;
  /** Text for events; at most 10 KiB. */
  readonly output: string;
  /** The attempt came to no verdict: it is repeated, and in the end thrown away. */
  readonly error?: string;
}

export type Probe = NonNullable<Container["livenessProbe"]>;

export function probeOf(container: Container, kind: ProbeKind): Probe | undefined {
  return container[`${kind}Probe`];
}

/** The containers that may have probes: the main ones, then the sidecars. */
export function probedContainers(pod: Pod): readonly Container[] {
  return [...pod.spec.containers, ...(pod.spec.initContainers ?? []).filter(isSidecar)];
}

/** A probe's numbers, defaulted; milliseconds where they are times. */
export interface ProbeSpec {
  readonly kind: ProbeKind;
  readonly handler: HandlerKind | "none";
  readonly probe: Probe;
  readonly initialDelaySeconds: number;
  readonly periodMilliseconds: number;
  readonly timeoutMilliseconds: number;
  readonly successThreshold: number;
  readonly failureThreshold: number;
  /** The probe's own grace period for the kill that it causes. */
  readonly terminationGracePeriodSeconds?: number;
  /** gRPC over TLS, without verification. */
  readonly tls: boolean;
}

/** `Liveness`, `Readiness`, `Startup`: as events and metrics have it. */
export function kindText(kind: ProbeKind): string {
  return kind.charAt(0).toUpperCase() + kind.slice(1);
}

/** A gRPC health check. */
export interface GrpcRequest {
  readonly host: string;
  readonly port: number;
  readonly service: string;
  readonly timeoutMilliseconds: number;
  /** TLS without verification; a kubelet has none. */
  readonly tls: boolean;
}

export interface RoundEvent {
  readonly type: EventType;
  readonly reason: "Unhealthy" | "ProbeWarning";
  readonly message: string;
}

/** What one round of a probe came to. */
export interface Round {
  readonly result: "success" | "failure";
  /** The round is thrown away. */
  readonly error: boolean;
  readonly event?: RoundEvent;
  readonly output: string;
}

export interface TimedRound {
  /** Undefined when there was nothing to probe any more, or the round crashed: the worker continues either way. */
  readonly round?: Round | undefined;
  /** Without the wait for a slot. */
  readonly milliseconds: number;
}
