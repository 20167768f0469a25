import type { GuardedBeforeSandbox } from "../admission/verdict.js";
import type { Clock } from "../clock.js";
import type { TapPlace } from "../errors.js";
import type { BeforeSandbox } from "../plan/contract.js";
import { callLater } from "./call-later.js";
import { ownSignal } from "./own-signal.js";

/**
 * What a tap registered with `verdict.beforeSandbox`, as the core calls it: its claims are the plugin's, its signal is aborted
 * at the deadline and when the pod is to stop, and its plan takes nothing any more once it has ended. Rejects with TAP_FAILED or
 * TAP_TIMEOUT naming the plugin.
 */
export function guardedBeforeSandbox(clock: Clock, place: TapPlace, run: BeforeSandbox): GuardedBeforeSandbox {
  return async (plan, signal) => {
    const { controller, close } = ownSignal(signal);
    const over = { aborted: false };
    try {
      await callLater(clock, place, "beforeSandbox", () => run(plan.as(place.plugin, controller.signal, over)));
    } catch (error) {
      controller.abort(error);
      throw error;
    } finally {
      over.aborted = true;
      close();
    }
  };
}
