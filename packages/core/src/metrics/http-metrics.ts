/** The kubelet's metrics of its HTTP servers. */
import type { Metrics } from "../plugin/contract.js";

export interface HttpRequestLabels {
  readonly method: string;
  /** The first part of the route's path, `others` for what has no route. */
  readonly path: string;
  /** `readwrite`: the control socket; `readonly`: the loopback port. */
  readonly serverType: "readwrite" | "readonly";
  readonly longRunning: boolean;
}

const LABELS = ["long_running", "method", "path", "server_type"];

/** Counts a request that has begun; what it returns is called when it is over. */
export function createHttpMetrics(
  metrics: Metrics,
  monotonic: () => number,
): (request: HttpRequestLabels) => () => void {
  const total = metrics.counter({
    name: "kubelet_http_requests_total",
    help: "Number of the http requests received since the server started",
    labels: LABELS,
  });
  const inflight = metrics.gauge({
    name: "kubelet_http_inflight_requests",
    help: "Number of the inflight http requests",
    labels: LABELS,
  });
  const duration = metrics.histogram({
    name: "kubelet_http_requests_duration_seconds",
    help: "Duration in seconds to serve http requests",
    labels: LABELS,
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  const running = new Map<string, number>();
  return ({ method, path, serverType, longRunning }) => {
    const labels = { long_running: String(longRunning), method, path, server_type: serverType };
    const key = Object.values(labels).join(" ");
    const count = (change: number): void => {
      const now = (running.get(key) ?? 0) + change;
      running.set(key, now);
      inflight.set(now, labels);
    };
    const began = monotonic();
    total.inc(labels);
    count(1);
    return () => {
      count(-1);
      duration.observe((monotonic() - began) / 1000, labels);
    };
  };
}
