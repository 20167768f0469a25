import type { Clock } from "../clock.js";
import type { NodeAgentError } from "../errors.js";
import type { TapOutcome } from "./tap-record.js";

export interface GuardOptions {
  readonly clock: Clock;
  /**
   * Every failure of a tap, whatever the policy: TAP_FAILED, TAP_TIMEOUT or TAP_OUTPUT with plugin, hook and cause. A
   * failing tap of a closed hook is told here and to the operation. Must not throw.
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
