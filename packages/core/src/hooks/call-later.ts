import { type Clock, withDeadline } from "../clock.js";
import { type NodeAgentError, type TapPlace, tapFailed, tapTimeout } from "../errors.js";

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
