/** Objects that go over HTTP as JSON. */
import type { Pod } from "@hooklet/core";

/** Of an answer that is an error. */
export interface ErrorBody {
  /** The message. */
  readonly error: string;
  /** A NodeAgentErrorCode, a RuntimeErrorCode, or the server's own: FORBIDDEN, BAD_REQUEST, NO_ROUTE, INTERNAL. */
  readonly code: string;
}

/** A line of a watch of pods, as Kubernetes has it. */
export interface PodChange {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: Pod;
}
