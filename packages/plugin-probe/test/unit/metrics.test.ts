import type { Metrics } from "@hooklet/core";
import type { Sample } from "@hooklet/core/subsystem";
import { aPod } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { createMetrics } from "../../src/metrics.js";

function started() {
  let collect: () => Readonly<Record<string, readonly Sample[]>> = () => ({});
  const metrics = {
    collect(_: unknown, run: typeof collect) {
      collect = run;
    },
  } as unknown as Metrics;
  const series = createMetrics(metrics);
  const worker = (name: string) => {
    const pod = aPod({ name });
    return series({ ...pod, metadata: { ...pod.metadata, generateName: "web-" } }, "main", "liveness");
  };
  const count = () => collect().prober_probe_duration_seconds?.find(({ suffix }) => suffix === "_count")?.value;
  return { worker, count };
}

describe("the histogram of a workload's pods", () => {
  test("does not go down when one of them goes, and goes with the last", () => {
    const { worker, count } = started();
    const [one, two] = [worker("web-1"), worker("web-2")];
    for (let round = 0; round < 3; round++) one.probed("success", 0.1);
    two.probed("success", 0.1);
    expect(count()).toBe(4);
    one.remove();
    one.remove();
    expect(count()).toBe(4);
    two.probed("success", 0.1);
    expect(count()).toBe(5);
    two.remove();
    expect(count()).toBeUndefined();
  });
});

describe("of one worker", () => {
  const collected = (change: object = {}) => {
    let collect: () => Readonly<Record<string, readonly Sample[]>> = () => ({});
    const families: unknown[] = [];
    const metrics = {
      collect(given: readonly unknown[], run: typeof collect) {
        families.push(...given);
        collect = run;
      },
    } as unknown as Metrics;
    const pod = aPod({ name: "web-5f6-x1" });
    const series = createMetrics(metrics)({ ...pod, metadata: { ...pod.metadata, ...change } }, "main", "readiness");
    return { series, pod, families, all: () => collect(), timed: () => collect().prober_probe_duration_seconds ?? [] };
  };

  test("results are counted by their kind, and only those that there were", () => {
    const { series, pod, all } = collected();
    expect(all().prober_probe_total).toEqual([]);
    for (const result of ["success", "failure", "failure", "unknown"] as const) series.probed(result, 1);
    const { name, namespace, uid } = pod.metadata;
    const labels = { probe_type: "Readiness", container: "main", namespace, pod: name, pod_uid: uid };
    expect(all().prober_probe_total).toEqual([
      { labels: { ...labels, result: "successful" }, value: 1 },
      { labels: { ...labels, result: "failed" }, value: 2 },
      { labels: { ...labels, result: "unknown" }, value: 1 },
    ]);
    series.remove();
    expect(all()).toEqual({ prober_probe_total: [], prober_probe_duration_seconds: [] });
  });

  test("what failed is not timed", () => {
    const { series, timed } = collected();
    series.probed("failure", 1);
    expect(timed()).toEqual([]);
  });

  test("a bucket has what took as long as its bound at most", () => {
    const { series, timed } = collected();
    for (const seconds of [0, 0.005, 0.0051, 10, 11]) series.probed("success", seconds);
    series.probed("unknown", 0.3);
    const buckets = timed().filter(({ suffix }) => suffix === "_bucket");
    expect(buckets.map(({ labels, value }) => [labels?.le, value])).toEqual([
      ...[
        ["0.005", 2],
        ["0.01", 3],
        ["0.025", 3],
        ["0.05", 3],
        ["0.1", 3],
        ["0.25", 3],
        ["0.5", 4],
        ["1", 4],
      ],
      ...[
        ["2.5", 4],
        ["5", 4],
        ["10", 5],
        ["+Inf", 6],
      ],
    ]);
    const rest = timed().filter(({ suffix }) => suffix !== "_bucket");
    expect(rest.map(({ suffix, value }) => [suffix, value])).toEqual([
      ["_sum", expect.closeTo(21.3101)],
      ["_count", 6],
    ]);
  });

  test.each([
    ["its own", {}, "web-5f6-x1"],
    ["its own", { generateName: "" }, "web-5f6-x1"],
    ["its ReplicaSet's", { generateName: "web-5f6-" }, "web-5f6"],
    ["its Deployment's", { generateName: "web-5f6-", labels: { "pod-template-hash": "5f6" } }, "web"],
  ])("the histogram of a pod has %s name", (_name, change, expected) => {
    const { series, pod, timed } = collected(change);
    series.probed("success", 1);
    const [first] = timed();
    expect(first?.labels).toEqual({
      ...{ le: "0.005", probe_type: "Readiness", container: "main", namespace: pod.metadata.namespace, pod: expected },
    });
  });

  test("both are on the probes' own page, named as the kubelet's", () => {
    expect(collected().families).toEqual([
      expect.objectContaining({ name: "prober_probe_total", type: "counter", path: "/metrics/probes" }),
      expect.objectContaining({ name: "prober_probe_duration_seconds", type: "histogram", path: "/metrics/probes" }),
    ]);
  });
});
