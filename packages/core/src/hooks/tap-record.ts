import type { Clock, NodeAgentError, TapPlace } from "@hooklet/utils";
import type { HookName, HookRule } from "./hooks.js";

/** How one call of a tap ended. `skipped`: its earlier call had not settled yet. */
export type TapOutcome = "ok" | "error" | "timeout" | "skipped";

/** The report of one tap. */
export interface TapReport {
  readonly hook: string;
  readonly name: string;
  readonly active: boolean;
  readonly calls: number;
  readonly errors: number;
  readonly timeouts: number;
  readonly skipped: number;
  /** Milliseconds over all calls. */
  readonly totalMilliseconds: number;
}

/** One tap with its rule and its figures. */
export class TapRecord {
  active = true;
  /** Calls that have not settled; one that timed out still counts. */
  busy = 0;
  calls = 0;
  errors = 0;
  timeouts = 0;
  skipped = 0;
  totalMilliseconds = 0;

  constructor(
    readonly place: TapPlace,
    readonly kind: HookName,
    readonly rule: HookRule,
    readonly deadlineSeconds: number,
    readonly stage: number,
    /** Core's own taps are not guarded like those of plugins. */
    readonly isPlugin: boolean,
  ) {}

  count(outcome: TapOutcome, milliseconds: number): void {
    if (outcome === "skipped") {
      this.skipped++;
      return;
    }
    this.calls++;
    this.totalMilliseconds += milliseconds;
    if (outcome === "error") this.errors++;
    if (outcome === "timeout") this.timeouts++;
  }

  report(): TapReport {
    const { active, calls, errors, timeouts, skipped, totalMilliseconds } = this;
    return {
      hook: this.place.hook,
      name: this.place.tap,
      active,
      calls,
      errors,
      timeouts,
      skipped,
      totalMilliseconds,
    };
  }
}

export interface GuardOptions {
  readonly clock: Clock;
  /**
   * Called for every failure of a tap, with any policy: TAP_FAILED, TAP_TIMEOUT or TAP_OUTPUT with plugin, hook and cause. A
   * failing tap of a closed hook is reported here and to the operation. Must not throw.
   */
  onError(error: NodeAgentError): void;
  /** Every call, for metrics. Must not throw. */
  onCall?(call: TapCall): void;
}

export interface TapCall {
  readonly plugin: string;
  readonly hook: string;
  readonly tap: string;
  readonly outcome: TapOutcome;
  readonly milliseconds: number;
}
