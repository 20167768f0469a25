/** How errors go over HTTP: a status and `{error, code}`. */

import { isRuntimeError } from "@hooklet/core/base";
import type { RuntimeErrorCode } from "@hooklet/core/host";
import { isManifestError, type ManifestError } from "@hooklet/manifest";
import type { ErrorBody } from "@hooklet/streams";
import { isNodeAgentError, type NodeAgentErrorCode } from "@hooklet/utils";

// Headers of every answer.

export const ANSWER_HEADERS = { "x-content-type-options": "nosniff", "cache-control": "no-store" } as const;
/** Of answers that are `{error, code}`. */
export const JSON_TYPE = "application/json; charset=utf-8";
/** Of errors that an API server hands on. */
export const TEXT_TYPE = "text/plain; charset=utf-8";

const agentStatus: Partial<Record<NodeAgentErrorCode, number>> = {
  NOT_FOUND: 404,
  INVALID: 400,
  NOT_RUNNING: 409,
  EVICTION_REFUSED: 409,
  DELETION_REFUSED: 409,
  UNSUPPORTED: 501,
  AGENT_STOPPING: 503,
  BUSY: 429,
  KILL_TIMEOUT: 504,
  PLUGIN_TIMEOUT: 504,
  HOST_UNAVAILABLE: 503,
  CONFIG_FAULTS: 400,
};

const runtimeStatus: Partial<Record<RuntimeErrorCode, number>> = {
  "not-found": 404,
  "already-exists": 409,
  "invalid-argument": 400,
  "invalid-image-name": 400,
  "image-not-present": 404,
  "failed-precondition": 409,
  "deadline-exceeded": 504,
  unavailable: 503,
  unimplemented: 501,
};

/** Status and body for any thrown value. Unknown errors are 500 with their message: every caller here is authorized. */
export function errorAnswer(error: unknown): { readonly status: number; readonly body: ErrorBody } {
  if (isNodeAgentError(error)) return answer(agentStatus[error.code] ?? 500, error.message, error.code);
  if (isRuntimeError(error)) return answer(runtimeStatus[error.code] ?? 500, error.message, error.code);
  if (isManifestError(error)) return answer(400, faultLines(error), error.code);
  if (error instanceof Error) {
    const status = "statusCode" in error && typeof error.statusCode === "number" ? error.statusCode : 500;
    if (status >= 400 && status < 500) return answer(status, error.message, "BAD_REQUEST");
    return answer(500, error.message, "INTERNAL");
  }
  return answer(500, String(error), "INTERNAL");
}

/** A line for each fault, in the file's order. */
function faultLines({ message, where, faults }: ManifestError): string {
  if (faults.length < 2) return message;
  const inOrder = [...faults].sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
  const lines = inOrder.map(
    ({ line, message: fault }) => `  ${line === undefined ? where : `${where}:${line}`}: ${fault}`,
  );
  return [`${where} has ${faults.length} faults:`, ...lines].join("\n");
}

function answer(status: number, error: string, code: string): { status: number; body: ErrorBody } {
  return { status, body: { error, code } };
}
