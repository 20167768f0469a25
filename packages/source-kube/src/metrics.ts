/** Metrics of the exchange with the API server; names as client-go and the kubelet have them. */
import type { NodeContext } from "@hooklet/core";
import type { Ask } from "./client/connection.js";

export interface KubeMetrics {
  answered(ask: Pick<Ask, "method" | "path">, status: number, milliseconds: number): void;
  eventDropped(why: string): void;
  statusReported(seconds: number): void;
}

export function kubeMetrics({ metrics }: Pick<NodeContext, "metrics">): KubeMetrics {
  const requests = metrics.counter({
    name: "rest_client_requests_total",
    help: "Number of HTTP requests, partitioned by status code, method, and host.",
    labels: ["code", "method", "host"],
  });
  const latency = metrics.histogram({
    name: "rest_client_request_duration_seconds",
    help: "Request latency in seconds. Broken down by verb, and host.",
    labels: ["verb", "host"],
    buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
  });
  const dropped = metrics.counter({
    name: "hooklet_kube_events_dropped_total",
    help: "Events that did not reach the API, by reason.",
    labels: ["reason"],
  });
  const status = metrics.histogram({
    name: "kubelet_pod_status_sync_duration_seconds",
    help: "Duration in seconds to sync a pod status update. Measures time from detection of a change to pod status until the API is successfully updated for that pod, even if multiple intevening changes to pod status occur.",
    buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 20, 30, 45, 60],
  });
  return {
    answered: ({ method }, code, milliseconds) => {
      requests.inc({ code: code === 0 ? "<error>" : String(code), method, host: "api" });
      latency.observe(milliseconds / 1_000, { verb: method, host: "api" });
    },
    eventDropped: (reason) => dropped.inc({ reason }),
    statusReported: (seconds) => status.observe(seconds),
  };
}
