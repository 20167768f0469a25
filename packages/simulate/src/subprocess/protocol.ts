/** The messages to a run's process, and its answers. */

import type { NodeAgentErrorCode } from "@hooklet/core";
import type { Clock, Timer } from "@hooklet/utils";
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

// A run's process that brings no outcome: how that is noticed, and what is said of it.

/** The process says this often that it is not blocked. Milliseconds. */
export const BEAT = 1000;
/** So many seconds of this process's own time: while both are stopped, none passes. */
const PATIENCE = 30;

interface Watch {
  heard(): void;
  stop(): void;
}

/** @param isHeldUp the run waits for the reader of its output */
export function watchForStandstill(clock: Clock, isHeldUp: () => boolean, stoodStill: () => void): Watch {
  let silent = 0;
  let timer: Timer;
  const tick = (): void => {
    silent = isHeldUp() ? 0 : silent + 1;
    if (silent < PATIENCE) timer = clock.schedule(1000, tick);
    else stoodStill();
  };
  timer = clock.schedule(1000, tick);
  return {
    heard: () => {
      silent = 0;
    },
    stop: () => timer.cancel(),
  };
}

export interface Ending {
  readonly code: number | null;
  readonly signal: string | null;
  readonly stderr: string;
  /** The watch ended it. */
  readonly stoodStill: boolean;
  /** Virtual time that it has reported, in seconds. */
  readonly t: number;
}

export function noOutcomeText(file: string, { code, signal, stderr, stoodStill, t }: Ending): string {
  if (stoodStill) {
    return `A tap or a strategy in the run of ${file} loops without end: the run stood still for ${PATIENCE} s, at ${t} s of virtual time or soon after, and was ended. Look at the loops of your plugins.`;
  }
  const said = stderr.trim();
  const ended = `The run of ${file} ended with ${signal ?? `code ${code}`} before it had an outcome.`;
  if (said !== "") return `${ended} It said: ${said}`;
  return code === null ? ended : `${ended} A plugin or a strategy called process.exit: it may only return or throw.`;
}
