import { expect, test } from "@jest/globals";
import { probesView } from "../../src/view.js";

const worker = (more: object = {}) => ({
  podUid: "u1",
  container: "main",
  spec: { kind: "readiness", handler: "http", periodMilliseconds: 2_500 },
  state: { onHold: false, resultRun: 3 },
  last: { result: "failure", output: "line one\nline two", at: 5_000 },
  latencies: { mean: 9.96, quantile: (share: number) => share * 1_000 },
  nextAt: 12_340,
  ...more,
});
const rows = (...workers: readonly object[]) =>
  probesView(
    { workers: { all: () => workers } } as never,
    {
      pods: { get: (uid: string) => (uid === "u1" ? { metadata: { name: "web", namespace: "team" } } : undefined) },
      clock: { now: () => 100_000, monotonic: () => 10_000 },
    } as never,
  ).rows() as readonly Readonly<Record<string, unknown>>[];

test("each probe has its pod, its last result and when it is due", () => {
  expect(rows(worker())).toEqual([
    {
      pod: "web",
      namespace: "team",
      container: "main",
      kind: "readiness",
      handler: "http",
      period: "2.5s",
      result: "failure",
      run: 3,
      next: "in 2.3s",
      nextAt: "1970-01-01T00:01:42.340Z",
      output: "line one",
      mean: "10.0ms",
      p99: "990ms",
      last: "1970-01-01T00:00:05.000Z",
      lastOutput: "line one\nline two",
      onHold: false,
    },
  ]);
});

test("one that has not run has nothing to show; that of a pod that is gone has its uid", () => {
  const latencies = { mean: undefined, quantile: () => undefined };
  expect(rows(worker({ podUid: "u2", last: undefined, latencies, nextAt: undefined }))).toMatchObject([
    {
      pod: "u2",
      namespace: "",
      result: "",
      output: "",
      mean: "",
      p99: "",
      last: "",
      lastOutput: "",
      next: "now",
      nextAt: null,
    },
  ]);
});

test.each<[string, object, string, string | null]>([
  ["is on hold", { state: { onHold: true, resultRun: 0 } }, "on hold", null],
  ["is due, but others are before it", { nextAt: 9_000 }, "in 0.0s", "1970-01-01T00:01:39.000Z"],
])("one that %s is shown so", (_, more, next, nextAt) => {
  expect(rows(worker(more))).toMatchObject([{ next, nextAt }]);
});

test.each([
  [9.94, "9.9ms"],
  [10, "10ms"],
  [0.04, "0.0ms"],
])("%d ms are %s", (mean, text) => {
  expect(rows(worker({ latencies: { mean, quantile: () => undefined } }))).toMatchObject([{ mean: text }]);
});

test("they are sorted by namespace, pod, container and kind", () => {
  const spec = (kind: string) => ({ ...worker().spec, kind });
  const all = [
    worker({ container: "z" }),
    worker({ spec: spec("startup") }),
    worker({ podUid: "other" }),
    worker({ spec: spec("liveness") }),
  ];
  expect(rows(...all).map(({ pod, container, kind }) => `${pod} ${container} ${kind}`)).toEqual([
    "other main readiness",
    "web main liveness",
    "web main startup",
    "web z readiness",
  ]);
});

test("columns that few need are wide ones", () => {
  const { columns, description } = probesView({} as never, {} as never);
  expect(description).toBe("Probes of all pods with their last results");
  expect(columns.filter(({ wide }) => wide).map(({ name }) => name)).toEqual(["mean", "p99", "last", "namespace"]);
  expect(columns.filter(({ wide }) => !wide).map(({ name }) => name)).toEqual([
    ...["pod", "container", "kind", "handler", "period", "result", "run", "next", "output"],
  ]);
});
