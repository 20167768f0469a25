/** One attempt of any probe, and the network that it goes through (tests and simulations bring their own). */

import { connect } from "node:net";
import { type Clock, type Container, errorText, isRuntimeError, type PluginRuntime, withDeadline } from "@hooklet/core";
import { expand } from "@hooklet/core/rules";
import { defineSeam, formatDuration } from "@hooklet/core/subsystem";
import type { Attempt, GrpcRequest, ProbeSpec } from "../types.js";
import { dialError, dialTimeout, invalidPort } from "./go-errors.js";
import { type HttpRequest, httpProbe } from "./http.js";
import { headerMap } from "./http-headers.js";
import { giveUp, whenOver } from "./probe-connection.js";
import { PortError, probeUrl, targetOf } from "./target.js";
import { collectOutput, execVerdict } from "./verdict.js";

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

interface AttemptPorts {
  readonly clock: Clock;
  readonly runtime: Pick<PluginRuntime, "execSync">;
  readonly network: ProbeNetwork;
}

interface Subject {
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

// exec probe: a command in the container, through the runtime.

/** `$(NAME)` is replaced by literal values of the container's own env; a value from elsewhere is empty here. */
export function execCommand(command: readonly string[], env: Container["env"] = []): readonly string[] {
  const values = new Map(env.map(({ name, value }) => [name, value ?? ""]));
  return command.map((word) => expand(word, (name) => values.get(name)));
}

interface ExecRequest {
  readonly containerId: string;
  readonly command: readonly string[];
  readonly timeoutMilliseconds: number;
}

/** Milliseconds that the runtime gets to report a timeout itself. */
const SLACK = 1_000;

class Overdue extends Error {}

/** Never rejects. Runtimes know whole seconds; a shorter timeout is kept here, and the command ends at the next second. */
async function execProbe(
  ports: { readonly clock: Clock; readonly runtime: Pick<PluginRuntime, "execSync"> },
  { containerId, command, timeoutMilliseconds }: ExecRequest,
): Promise<Attempt> {
  const isWhole = timeoutMilliseconds % 1000 === 0;
  const patience = isWhole ? timeoutMilliseconds + SLACK : timeoutMilliseconds;
  try {
    const work = ports.runtime.execSync(containerId, command, Math.ceil(timeoutMilliseconds / 1000));
    const { stdout, stderr, exitCode } = await withDeadline(ports.clock, patience, work, () => new Overdue());
    return execVerdict(collectOutput(stdout, stderr), { type: "exit", status: exitCode });
  } catch (error) {
    if (error instanceof Overdue || isRuntimeError(error, "deadline-exceeded")) {
      const text = `command timed out: ${JSON.stringify(command.join(" "))} timed out after ${formatDuration(timeoutMilliseconds / 1000)}`;
      return execVerdict("", { type: "timeout", text });
    }
    return execVerdict("", { type: "error", text: errorText(error) });
  }
}

// TCP probe: a connection that can be made is a success.

interface TcpRequest {
  readonly host: string;
  readonly port: number;
  readonly timeoutMilliseconds: number;
}

/** Never rejects. */
export function tcpProbe(clock: Clock, { host, port, timeoutMilliseconds }: TcpRequest): Promise<Attempt> {
  // Go dials nothing for such a port, and Node throws.
  if (port < 0 || port > 65_535) return Promise.resolve({ result: "failure", output: invalidPort(port) });
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const done = (attempt: Attempt): void => {
      timer.cancel();
      giveUp(socket, clock);
      resolve(attempt);
    };
    const timer = whenOver(clock, timeoutMilliseconds, () =>
      done({ result: "failure", output: dialTimeout(host, port) }),
    );
    socket.once("connect", () => done({ result: "success", output: "" }));
    socket.once("error", (error) => done({ result: "failure", output: dialError(error, host, port) }));
  });
}
