import { RuntimeError, type RuntimeErrorCode } from "@hooklet/core/host";
import { ManifestError } from "@hooklet/manifest";
import { NodeAgentError, type NodeAgentErrorCode } from "@hooklet/utils";
import { expect, test } from "@jest/globals";
import { errorAnswer } from "../../src/error-answer.js";

test("several faults of a manifest have a line each, in the file's order", () => {
  const faults = [
    { line: 9, message: "no image" },
    { line: 8, message: "unknown field prots" },
  ];
  expect(errorAnswer(new ManifestError("pod.yaml", faults)).body.error).toBe(
    "pod.yaml has 2 faults:\n  pod.yaml:8: unknown field prots\n  pod.yaml:9: no image",
  );
  expect(errorAnswer(new ManifestError("pod.yaml", faults.slice(0, 1))).body.error).toBe("pod.yaml:9: no image");
});

test.each<[NodeAgentErrorCode, number]>([
  ["NOT_FOUND", 404],
  ["INVALID", 400],
  ["NOT_RUNNING", 409],
  ["EVICTION_REFUSED", 409],
  ["DELETION_REFUSED", 409],
  ["UNSUPPORTED", 501],
  ["AGENT_STOPPING", 503],
  ["BUSY", 429],
  ["KILL_TIMEOUT", 504],
  ["PLUGIN_TIMEOUT", 504],
  ["HOST_UNAVAILABLE", 503],
  ["CONFIG_FAULTS", 400],
  ["CANNOT_LISTEN", 500],
])("the agent's error %s has the status %d", (code, status) => {
  expect(errorAnswer(new NodeAgentError(code, "why"))).toEqual({ status, body: { error: "why", code } });
});

test.each<[RuntimeErrorCode, number]>([
  ["not-found", 404],
  ["already-exists", 409],
  ["invalid-argument", 400],
  ["invalid-image-name", 400],
  ["image-not-present", 404],
  ["failed-precondition", 409],
  ["deadline-exceeded", 504],
  ["unavailable", 503],
  ["unimplemented", 501],
  ["unknown", 500],
])("the runtime's error %s has the status %d", (code, status) => {
  expect(errorAnswer(new RuntimeError(code, "why"))).toEqual({ status, body: { error: "why", code } });
});

test.each<[string, unknown, number, string, string]>([
  ["a fault of the request", Object.assign(new Error("why"), { statusCode: 413 }), 413, "why", "BAD_REQUEST"],
  ["of the lowest status", Object.assign(new Error("why"), { statusCode: 400 }), 400, "why", "BAD_REQUEST"],
  ["of the highest", Object.assign(new Error("why"), { statusCode: 499 }), 499, "why", "BAD_REQUEST"],
  ["a redirection", Object.assign(new Error("why"), { statusCode: 399 }), 500, "why", "INTERNAL"],
  ["a fault of the server", Object.assign(new Error("why"), { statusCode: 503 }), 500, "why", "INTERNAL"],
  ["a status that is a text", Object.assign(new Error("why"), { statusCode: "404" }), 500, "why", "INTERNAL"],
  ["any other error", new Error("why"), 500, "why", "INTERNAL"],
  ["what is no error", "why", 500, "why", "INTERNAL"],
])("%s", (_name, thrown, status, error, code) => {
  expect(errorAnswer(thrown)).toEqual({ status, body: { error, code } });
});
