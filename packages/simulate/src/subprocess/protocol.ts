/** What a run's process is told, and what it answers. Pure. */
import type { NodeAgentErrorCode } from "@hooklet/core";
import type { Outcome } from "../run/outcome.js";
import type { Job } from "./job.js";

export type Format = "table" | "jsonl" | "junit" | "none";

export interface Request {
  readonly job: Job;
  readonly format: Format;
}

export type Answer =
  | { readonly outcome: Outcome; readonly error?: undefined }
  /** `code`: of an error of the agent's own; `stack`: of one that nobody foresaw. */
  | { readonly error: string; readonly code?: NodeAgentErrorCode; readonly stack?: string };
