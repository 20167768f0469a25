/** The metrics of the exchange with an API server: their names are client-go's and the kubelet's. */
import { expect, test } from "@jest/globals";
import { kubeMetrics } from "../../src/metrics.js";

function recorded() {
  const made: unknown[] = [];
  const said: unknown[] = [];
  const counter = (options: { name: string }) => {
    made.push(["counter", options]);
    return { inc: (labels: object) => said.push([options.name, labels]) };
  };
  const histogram = (options: { name: string }) => {
    made.push(["histogram", options]);
    return { observe: (value: number, labels?: object) => said.push([options.name, value, labels]) };
  };
  return { metrics: kubeMetrics({ metrics: { counter, histogram } } as never), made, said };
}

test("names, meaning, labels and buckets", () => {
  expect(recorded().made).toEqual([
    [
      "counter",
      {
        name: "rest_client_requests_total",
        help: "Number of HTTP requests, partitioned by status code, method, and host.",
        labels: ["code", "method", "host"],
      },
    ],
    [
      "histogram",
      {
        name: "rest_client_request_duration_seconds",
        help: "Request latency in seconds. Broken down by verb, and host.",
        labels: ["verb", "host"],
        buckets: [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60],
      },
    ],
    [
      "counter",
      {
        name: "hooklet_kube_events_dropped_total",
        help: "Events that did not reach the API, by reason.",
        labels: ["reason"],
      },
    ],
    [
      "histogram",
      {
        name: "kubelet_pod_status_sync_duration_seconds",
        help: "Duration in seconds to sync a pod status update. Measures time from detection of a change to pod status until the API is successfully updated for that pod, even if multiple intevening changes to pod status occur.",
        buckets: [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 20, 30, 45, 60],
      },
    ],
  ]);
});

test("each answer is counted by its status and measured in seconds; none is an error", () => {
  const { metrics, said } = recorded();
  metrics.answered({ method: "GET", path: "/a" }, 200, 1_500);
  metrics.answered({ method: "PATCH", path: "/a" }, 0, 5);
  metrics.eventDropped("full");
  metrics.statusReported(0.25);
  expect(said).toEqual([
    ["rest_client_requests_total", { code: "200", method: "GET", host: "api" }],
    ["rest_client_request_duration_seconds", 1.5, { verb: "GET", host: "api" }],
    ["rest_client_requests_total", { code: "<error>", method: "PATCH", host: "api" }],
    ["rest_client_request_duration_seconds", 0.005, { verb: "PATCH", host: "api" }],
    ["hooklet_kube_events_dropped_total", { reason: "full" }],
    ["kubelet_pod_status_sync_duration_seconds", 0.25, undefined],
  ]);
});
