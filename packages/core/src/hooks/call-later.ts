/** What a tap left behind: called later, bounded, in its plugin's name. */

import {
  type Clock,
  type NodeAgentError,
  ownSignal,
  type TapPlace,
  tapFailed,
  tapTimeout,
  withDeadline,
} from "@hooklet/utils";
import type { BeforeSandbox } from "../plan/contract.js";
import type { GuardedBeforeSandbox } from "./verdict.js";

/** Seconds that what a tap left to be called later (afterStart, afterStop, undo) may take. */
const CALL_LATER_SECONDS = 30;

/**
 * Calls what a tap left behind, bounded by the clock.
 * @throws NodeAgentError TAP_FAILED, TAP_TIMEOUT naming plugin and hook
 */
export async function callLater(
  clock: Clock,
  { plugin, hook, tap }: TapPlace,
  what: string,
  run: () => unknown,
): Promise<void> {
  const place = { plugin, hook: `${hook} (${what})`, tap };
  let late: NodeAgentError | undefined;
  try {
    await withDeadline(clock, CALL_LATER_SECONDS * 1000, (async () => run())(), () => {
      late = tapTimeout(place, CALL_LATER_SECONDS);
      return late;
    });
  } catch (error) {
    throw late ?? tapFailed(place, error);
  }
}

/**
 * What a tap registered with `verdict.beforeSandbox`, as the core calls it: its claims are the plugin's, its signal is aborted
 * at the deadline and when the pod is to stop, and its plan takes nothing any more once it has ended. Rejects with TAP_FAILED or
 * TAP_TIMEOUT naming the plugin.
 */
export function guardedBeforeSandbox(clock: Clock, place: TapPlace, run: BeforeSandbox): GuardedBeforeSandbox {
  return async (plan, signal) => {
    const own = ownSignal(signal);
    const over = { aborted: false };
    try {
      await callLater(clock, place, "beforeSandbox", () => run(plan.as(place.plugin, own.signal, over)));
    } catch (error) {
      own.abort(error);
      throw error;
    } finally {
      over.aborted = true;
      own.close();
    }
  };
}
