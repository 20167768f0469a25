/** One attempt of any probe, and the network that it goes through (tests and simulations bring their own). */
import { type Clock, type Container, errorText, type PluginRuntime } from "@hooklet/core";
import { defineSeam } from "@hooklet/core/subsystem";
import type { Attempt, GrpcRequest, ProbeSpec } from "../types.js";
import { execCommand, execProbe } from "./exec.js";
import { type HttpRequest, httpProbe } from "./http.js";
import { headerMap } from "./http-headers.js";
import { PortError, probeUrl, targetOf } from "./target.js";
import { type TcpRequest, tcpProbe } from "./tcp.js";

/** The handlers that go over the network. None of them rejects. */
export interface ProbeNetwork {
  http(clock: Clock, request: HttpRequest): Promise<Attempt>;
  tcp(clock: Clock, request: TcpRequest): Promise<Attempt>;
  grpc(clock: Clock, request: GrpcRequest): Promise<Attempt>;
}

/** Loads HTTP/2 and protobuf at the first call. Never rejects. */
export async function grpcProbe(clock: Clock, request: GrpcRequest): Promise<Attempt> {
  const { grpcCall } = await import("./grpc-call.js");
  return grpcCall(clock, request);
}

/** In this process: what a server answers to a gRPC probe may abort it. The plugin makes gRPC probes in a subprocess instead. */
export const realNetwork: ProbeNetwork = { http: httpProbe, tcp: tcpProbe, grpc: grpcProbe };

/** Makes one attempt; never rejects. */
export type MakeAttempt = (ports: AttemptPorts, spec: ProbeSpec, subject: Subject) => Promise<Attempt>;

export interface AttemptPorts {
  readonly clock: Clock;
  readonly runtime: Pick<PluginRuntime, "execSync">;
  readonly network: ProbeNetwork;
}

export interface Subject {
  readonly container: Container;
  readonly containerId: string;
  readonly podIp: string;
}

/** Never rejects. */
export async function attempt(ports: AttemptPorts, spec: ProbeSpec, subject: Subject): Promise<Attempt> {
  const { clock, network } = ports;
  const { probe, timeoutMilliseconds } = spec;
  try {
    if (probe.exec !== undefined) {
      const command = execCommand(probe.exec.command ?? [], subject.container.env);
      return await execProbe(ports, { containerId: subject.containerId, command, timeoutMilliseconds });
    }
    const target = targetOf(probe, subject.podIp, subject.container.ports);
    switch (target?.kind) {
      case "http": {
        const headers = headerMap(probe.httpGet?.httpHeaders);
        return await network.http(clock, { url: probeUrl(target), headers, timeoutMilliseconds });
      }
      case "tcp":
        return await network.tcp(clock, { host: target.host, port: target.port, timeoutMilliseconds });
      case "grpc": {
        const { host, port, service } = target;
        return await network.grpc(clock, { host, port, service, timeoutMilliseconds, tls: spec.tls });
      }
      case undefined:
        return { result: "unknown", output: "", error: `missing probe handler for ${subject.container.name}` };
    }
  } catch (error) {
    if (error instanceof PortError) return { result: "unknown", output: "", error: error.message };
    return { result: "unknown", output: "", error: errorText(error) };
  }
}

/** Where attempts reach containers: a simulation says there what becomes of one. */
export const probeAttempts = defineSeam<MakeAttempt>("@hooklet/plugin-probe/attempts", attempt);
