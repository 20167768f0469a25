/** What an answer means. Pure. */
import type { Attempt } from "../types.js";

/** Bytes of output that are kept: the kubelet's maxRespBodyLength and maxReadLength. */
export const MAX_OUTPUT = 10 * 1024;

export function httpVerdict(status: number, body: string): Attempt {
  if (status >= 200 && status < 300) return { result: "success", output: body };
  if (status >= 300 && status < 400) {
    return { result: "warning", output: `Probe terminated redirects, Response body: ${body}` };
  }
  return { result: "failure", output: `HTTP probe failed with statuscode: ${status}` };
}

export type ExecOutcome =
  | { readonly type: "exit"; readonly status: number }
  | { readonly type: "timeout"; readonly text: string }
  | { readonly type: "error"; readonly text: string };

export function execVerdict(output: string, outcome: ExecOutcome): Attempt {
  switch (outcome.type) {
    case "exit":
      return { result: outcome.status === 0 ? "success" : "failure", output };
    case "timeout":
      return { result: "failure", output: outcome.text };
    case "error":
      return { result: "unknown", output: "", error: outcome.text };
  }
}

/** Both streams one after the other, cut at `limit` bytes. */
export function collectOutput(stdout: Buffer, stderr: Buffer, limit = MAX_OUTPUT): string {
  const out = stdout.subarray(0, limit);
  if (stderr.length === 0 || out.length === limit) return out.toString("utf8");
  return Buffer.concat([out, stderr.subarray(0, limit - out.length)]).toString("utf8");
}

export type GrpcOutcome =
  | { readonly type: "status"; readonly status: string }
  | { readonly type: "no-connection" }
  /** The connection failed otherwise than by time. */
  | { readonly type: "not-connected"; readonly text: string }
  | { readonly type: "no-answer" }
  | { readonly type: "unimplemented"; readonly text: string }
  | { readonly type: "error"; readonly code: string; readonly text: string };

export function grpcVerdict(outcome: GrpcOutcome, address: string, timeout: string): Attempt {
  if (outcome.type === "status" && outcome.status === "SERVING")
    return { result: "success", output: "service healthy" };
  return { result: "failure", output: grpcFailure(outcome, address, timeout) };
}

function grpcFailure(outcome: GrpcOutcome, address: string, timeout: string): string {
  switch (outcome.type) {
    case "status":
      return `service unhealthy (responded with ${JSON.stringify(outcome.status)})`;
    case "no-connection":
      return `timeout: failed to connect service ${JSON.stringify(address)} within ${timeout}: context deadline exceeded`;
    case "not-connected":
      return `error: failed to connect service at ${JSON.stringify(address)}: ${outcome.text}`;
    case "no-answer":
      return `timeout: health rpc did not complete within ${timeout}`;
    case "unimplemented":
      return `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${outcome.text}`;
    case "error":
      return `error: health rpc probe failed: rpc error: code = ${outcome.code} desc = ${outcome.text}`;
  }
}
