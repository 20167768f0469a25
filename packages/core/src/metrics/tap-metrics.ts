/** Calls of taps, by plugin, hook and outcome (own metrics). */
import type { TapCall } from "../hooks/tap-record.js";
import type { Metrics } from "../plugin/contract.js";

export function createTapMetrics(metrics: Metrics): (call: TapCall) => void {
  const labels = ["plugin", "hook", "outcome"];
  const calls = metrics.counter({
    name: "hooklet_tap_calls_total",
    help: "Calls of taps by plugin, hook and outcome.",
    labels,
  });
  const duration = metrics.histogram({
    name: "hooklet_tap_duration_seconds",
    help: "Duration in seconds of calls of taps.",
    labels: ["plugin", "hook"],
    buckets: [0.0001, 0.001, 0.01, 0.1, 1, 10],
  });
  return ({ plugin, hook, outcome, milliseconds }) => {
    calls.inc({ plugin, hook, outcome });
    duration.observe(milliseconds / 1000, { plugin, hook });
  };
}
