/**
 * Every error that hooklet itself raises: a code, what happened, what was expected and found, what to do. One function
 * per code, so that the wording is reviewed in one file (test/errors.test.ts prints them all).
 */
export type NodeAgentErrorCode =
  | "TAP_FAILED"
  | "TAP_TIMEOUT"
  | "TAP_OUTPUT"
  | "CLAIM_CONFLICT"
  | "CONFIG_FAULTS"
  | "PLUGIN_START"
  | "PLUGIN_STOP"
  | "ROOT_DIR_LOCKED"
  | "STATE_UNREADABLE"
  | "AGENT_NOT_RUNNING"
  | "NOT_FOUND"
  | "INVALID";

export class NodeAgentError extends Error {
  override readonly name: string = "NodeAgentError";
  readonly code: NodeAgentErrorCode;
  readonly plugin?: string;
  readonly hook?: string;

  constructor(
    code: NodeAgentErrorCode,
    message: string,
    where: { plugin?: string; hook?: string; cause?: unknown } = {},
  ) {
    super(message, where.cause === undefined ? undefined : { cause: where.cause });
    this.code = code;
    if (where.plugin !== undefined) this.plugin = where.plugin;
    if (where.hook !== undefined) this.hook = where.hook;
  }
}

/** The text of anything that was thrown. */
export function errorText(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
