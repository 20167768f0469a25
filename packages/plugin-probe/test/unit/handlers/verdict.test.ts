import { expect, test } from "@jest/globals";
import {
  collectOutput,
  execVerdict,
  type GrpcOutcome,
  grpcVerdict,
  httpVerdict,
} from "../../../src/handlers/verdict.js";

const redirect = "Probe terminated redirects, Response body: body";
test.each<[number, string, string]>([
  [199, "failure", "HTTP probe failed with statuscode: 199"],
  [200, "success", "body"],
  [299, "success", "body"],
  [300, "warning", redirect],
  [399, "warning", redirect],
  [400, "failure", "HTTP probe failed with statuscode: 400"],
])("the status %d is a %s", (status, result, output) => {
  expect(httpVerdict(status, "body")).toEqual({ result, output });
});

test.each<[string, Parameters<typeof execVerdict>[1], object]>([
  ["ends with 0", { type: "exit", status: 0 }, { result: "success", output: "said" }],
  ["ends otherwise", { type: "exit", status: 1 }, { result: "failure", output: "said" }],
  ["takes too long", { type: "timeout", text: "late" }, { result: "failure", output: "late" }],
  ["cannot run", { type: "error", text: "no" }, { result: "unknown", output: "", error: "no" }],
])("a command that %s has the kubelet's verdict", (_, outcome, verdict) => {
  expect(execVerdict("said", outcome)).toEqual(verdict);
});

test.each<[string, string, number, string]>([
  ["out", "", 10, "out"],
  ["out", "err", 10, "outerr"],
  ["out", "err", 4, "oute"],
  ["out", "err", 3, "out"],
  ["output", "err", 3, "out"],
  ["", "error", 3, "err"],
])("the output %j and then %j, %d bytes of it, is %j", (stdout, stderr, limit, output) => {
  expect(collectOutput(Buffer.from(stdout), Buffer.from(stderr), limit)).toBe(output);
});

test("10 KiB of output are kept", () => {
  expect(collectOutput(Buffer.alloc(20_000, "a"), Buffer.alloc(0))).toHaveLength(10_240);
  expect(collectOutput(Buffer.alloc(10_000, "a"), Buffer.alloc(10_000, "b"))).toHaveLength(10_240);
});

test.each<[GrpcOutcome, string]>([
  [{ type: "status", status: "NOT_SERVING" }, 'service unhealthy (responded with "NOT_SERVING")'],
  [{ type: "no-connection" }, 'timeout: failed to connect service "10.0.0.1:80" within 1s: context deadline exceeded'],
  [{ type: "not-connected", text: "refused" }, 'error: failed to connect service at "10.0.0.1:80": refused'],
  [{ type: "no-answer" }, "timeout: health rpc did not complete within 1s"],
  [
    { type: "unimplemented", text: "unknown service" },
    "error: this server does not implement the grpc health protocol (grpc.health.v1.Health): unknown service",
  ],
  [
    { type: "error", code: "Internal", text: "boom" },
    "error: health rpc probe failed: rpc error: code = Internal desc = boom",
  ],
])("a gRPC check that comes to %j fails with the kubelet's words", (outcome, output) => {
  expect(grpcVerdict(outcome, "10.0.0.1:80", "1s")).toEqual({ result: "failure", output });
});

test("a gRPC check succeeds when the service is SERVING", () => {
  const verdict = grpcVerdict({ type: "status", status: "SERVING" }, "10.0.0.1:80", "1s");
  expect(verdict).toEqual({ result: "success", output: "service healthy" });
});
