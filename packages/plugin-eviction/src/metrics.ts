/** The kubelet's metrics of evictions. */
import type { Metrics } from "@hooklet/core";

export interface EvictionMetrics {
  evicted(signal: string): void;
  /** Seconds. */
  statisticsAge(signal: string, seconds: number): void;
}

export function createMetrics(metrics: Metrics): EvictionMetrics {
  const labels = ["eviction_signal"];
  const evictions = metrics.counter({
    name: "kubelet_evictions",
    help: "Cumulative number of pod evictions by eviction signal",
    labels,
  });
  const age = metrics.histogram({
    name: "kubelet_eviction_stats_age_seconds",
    help: "Time between when stats are collected, and when pod is evicted based on those stats by eviction signal",
    labels,
  });
  return {
    evicted: (signal) => evictions.inc({ eviction_signal: signal }),
    statisticsAge: (signal, seconds) => age.observe(seconds, { eviction_signal: signal }),
  };
}
