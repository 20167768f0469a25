/** The kubelet's metrics of HTTP requests. */
import { expect, test } from "@jest/globals";
import { createHttpMetrics, type HttpRequestLabels } from "../../../src/metrics/http-metrics.js";
import type { Metrics } from "../../../src/plugin/contract.js";

function started() {
  const reported: string[] = [];
  const families: unknown[] = [];
  let now = 0;
  const metric = (family: { readonly name: string }) => {
    families.push(family);
    const note = (value: number, labels: object): void => {
      reported.push([family.name.replace("kubelet_http_", ""), ...Object.values(labels), value].join(" "));
    };
    return { inc: (labels: object) => note(1, labels), observe: note, set: note };
  };
  const begin = createHttpMetrics(
    { counter: metric, gauge: metric, histogram: metric } as unknown as Metrics,
    () => now,
  );
  const request = (path: string, more: Partial<HttpRequestLabels> = {}) =>
    begin({ method: "GET", path, serverType: "readonly", longRunning: false, ...more });
  const reports = () => reported.splice(0);
  const pass = (milliseconds: number): void => {
    now += milliseconds;
  };
  return { request, reports, families, pass };
}

test("have the kubelet's names, labels and buckets", () => {
  const labels = ["long_running", "method", "path", "server_type"];
  expect(started().families).toEqual([
    {
      name: "kubelet_http_requests_total",
      help: "Number of the http requests received since the server started",
      labels,
    },
    { name: "kubelet_http_inflight_requests", help: "Number of the inflight http requests", labels },
    {
      name: "kubelet_http_requests_duration_seconds",
      help: "Duration in seconds to serve http requests",
      labels,
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    },
  ]);
});

test("a request is counted as it begins, and its seconds once it is over", () => {
  const { request, reports, pass } = started();
  const over = request("healthz");
  expect(reports()).toEqual([
    "requests_total false GET healthz readonly 1",
    "inflight_requests false GET healthz readonly 1",
  ]);
  pass(1_500);
  over();
  expect(reports()).toEqual([
    "inflight_requests false GET healthz readonly 0",
    "requests_duration_seconds false GET healthz readonly 1.5",
  ]);
});

test("requests under way are counted apart by their labels", () => {
  const { request, reports } = started();
  const inflight = () => reports().filter((line) => line.startsWith("inflight"));
  const over = request("pods");
  request("pods");
  request("pods", { method: "POST" });
  request("exec", { longRunning: true, serverType: "readwrite" });
  expect(inflight()).toEqual([
    "inflight_requests false GET pods readonly 1",
    "inflight_requests false GET pods readonly 2",
    "inflight_requests false POST pods readonly 1",
    "inflight_requests true GET exec readwrite 1",
  ]);
  over();
  expect(inflight()).toEqual(["inflight_requests false GET pods readonly 1"]);
});
