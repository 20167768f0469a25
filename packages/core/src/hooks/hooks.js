/**
 * The four hooks of hooklet: the whole contract between the core and its plugins. A fifth needs an ADR that names two
 * plugins which cannot be written without it.
 */
import { AsyncParallelHook, AsyncSeriesHook, AsyncSeriesWaterfallHook, HookMap } from "tapable";
/** Stages of `podAdmit`, in order of running. Core's own predicates run between `check` and `repair`. */
export const Stage = { check: 0, predicates: 50, repair: 100, validate: 200 };
// biome-ignore format: one hook per line, read as a table
export const hookRules = {
    /**
     * Waterfall over the verdict, one pod at a time for the node. A failing tap is a rejection that names it. A repair may
     * wait for many kills, each with its grace period.
     */
    podAdmit: { policy: "closed", deadlineSeconds: 30, maxDeadlineSeconds: 86_400, output: "verdict", overlap: "allowed" },
    /** Waterfall over the plan, before a container is created. A failing tap fails the start, which is retried with back-off. */
    containerStart: { policy: "closed", deadlineSeconds: 30, maxDeadlineSeconds: 300, output: "plan", overlap: "allowed" },
    /** In series before the kill; `event.afterStop` after it. All taps run. */
    podTerminate: { policy: "open", deadlineSeconds: 5, maxDeadlineSeconds: 60, output: "nothing", overlap: "allowed" },
    /** In parallel, once per period. All taps run; a tap never overlaps itself. */
    tick: { policy: "open", deadlineSeconds: 60, maxDeadlineSeconds: 3600, output: "nothing", overlap: "skipped" },
};
/** The bare hooks, without the guard (guard.ts). */
export function createHooks() {
  return {
    podAdmit: new AsyncSeriesWaterfallHook(["verdict", "event"], "podAdmit"),
    containerStart: new AsyncSeriesWaterfallHook(["plan", "event"], "containerStart"),
    podTerminate: new AsyncSeriesHook(["event"], "podTerminate"),
    tick: createTickHooks(),
  };
}
/** tapable's map does not tell its keys. */
function createTickHooks() {
  const periods = new Set();
  const hooks = new HookMap((period) => {
    periods.add(period);
    return new AsyncParallelHook(["event"], `tick ${period}s`);
  }, "tick");
  return Object.assign(hooks, { periods });
}
