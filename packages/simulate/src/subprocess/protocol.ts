/** The messages to a run's process, and its answers. Pure. */
import type { NodeAgentErrorCode } from "@hooklet/core";
import type { Outcome } from "../run/outcome.js";
import type { Job } from "./job.js";

/** `table`: what came of it; `events`: the whole story before it. */
export type Format = "table" | "events" | "jsonl" | "junit" | "none";

export interface Request {
  readonly job: Job;
  readonly format: Format;
}

/** Before the request, once: load what every run of this host needs. */
export interface WarmUp {
  readonly warmUp: Job["host"];
}

/** How far a run is, in seconds of virtual time. */
export interface Progress {
  readonly progress: { readonly t: number };
}

/** It is not blocked. */
export interface Beat {
  readonly beat: true;
}

export type Answer =
  | { readonly outcome: Outcome; readonly error?: undefined }
  /** `code`: of an error of the agent's own; `stack`: of an unexpected error. */
  | { readonly error: string; readonly code?: NodeAgentErrorCode; readonly stack?: string };
