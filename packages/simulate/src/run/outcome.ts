/** What a run came to. Pure. */
import type { Decision } from "@hooklet/core";
import type { FigureTable } from "../records/figures.js";
import type { FinalState } from "../records/record.js";
import type { TimedExpectation } from "../scenario/timed-steps.js";

/** The node at one moment: bytes and counts. */
export interface Sample {
  /** Seconds. */
  readonly t: number;
  readonly memory: number;
  readonly imageFsUsed: number;
  readonly images: number;
  readonly running: number;
  readonly ready: number;
}

export interface Failure {
  /** `expect[2]`, `timeline[4]`, `plugin quota`. */
  readonly path: string;
  readonly line?: number;
  /** Seconds. */
  readonly t: number;
  readonly what: string;
  readonly difference: string;
}

/** One restart of the agent, and what of the end is another by it. */
export interface TriedRestart {
  /** Seconds. */
  readonly t: number;
  readonly differences: readonly string[];
}

export interface Outcome {
  /** The scenario's; "" where it has none. */
  readonly description: string;
  /** Virtual seconds of the whole run. */
  readonly until: number;
  /** One for each expectation: undefined where it came true. */
  readonly expectations: readonly { readonly expectation: TimedExpectation; readonly failure: Failure | undefined }[];
  /** What of the timeline could not be done. */
  readonly failedSteps: readonly Failure[];
  /** Files and packages of plugins and strategies that the configuration names. */
  readonly loads: readonly string[];
  readonly figures: FigureTable;
  readonly final: FinalState;
  /** Errors of strategies, and of plugins that hooklet does not bring. */
  readonly faults: readonly Failure[];
  /** Other errors that the agent logged. */
  readonly problems: readonly string[];
  /** When restarts were tried, and what each changed. */
  readonly tried?: readonly TriedRestart[];
  /** Where samples were asked for. */
  readonly samples?: readonly Sample[];
  /** What was asked for. */
  readonly explained?: readonly Decision[];
  readonly planned?: readonly Decision[];
}

/** Failures of all kinds. */
export function failuresOf({
  expectations,
  failedSteps,
  faults,
}: Pick<Outcome, "expectations" | "failedSteps" | "faults">): readonly Failure[] {
  return [...faults, ...failedSteps, ...expectations.flatMap(({ failure }) => failure ?? [])];
}
