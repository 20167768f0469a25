import { expect, test } from "@jest/globals";
import { type CountedPod, createPodGauges } from "../../../src/metrics/pod-gauges.js";
import type { Metrics } from "../../../src/plugin/contract.js";

/** Name and labels -> value, of what is not 0. */
function gaugesOf(pods: readonly CountedPod[]): Readonly<Record<string, number>> {
  const values = new Map<string, number>();
  const metrics = {
    gauge: ({ name }: { readonly name: string }) => ({
      set: (value: number, labels: object = {}) =>
        void values.set([name.replace("kubelet_", ""), ...Object.values(labels)].join(" "), value),
    }),
  } as unknown as Metrics;
  createPodGauges(metrics, { workers: () => pods }, "n")();
  return Object.fromEntries([...values].filter(([, value]) => value !== 0));
}

const isStatic = { metadata: { annotations: { "kubernetes.io/config.source": "file" } } };
const ofServer = { metadata: { annotations: { "kubernetes.io/config.source": "api" } } };

/** A pod that runs, with a change. */
const pod = (change: object = {}, of: object = ofServer): CountedPod =>
  ({
    pod: of,
    state: { sandbox: { kind: "ready" }, life: { kind: "active" }, containers: {}, ...change },
  }) as unknown as CountedPod;

test("a node without pods counts its name alone", () => {
  expect(gaugesOf([])).toEqual({ "node_name n": 1 });
});

test.each([
  {
    name: "runs",
    change: {},
    counted: ["running_pods", "desired_pods ", "active_pods ", "working_pods desired sync "],
  },
  {
    name: "has no sandbox yet",
    change: { sandbox: { kind: "none" } },
    counted: ["desired_pods ", "active_pods ", "working_pods desired sync "],
  },
  {
    name: "has ended",
    change: { life: { kind: "ended" } },
    counted: ["desired_pods ", "working_pods desired terminated "],
  },
  {
    name: "is being deleted",
    change: { life: { kind: "terminating" }, removal: { cause: { kind: "deleted" } } },
    counted: ["running_pods", "active_pods ", "working_pods orphan terminating "],
  },
  {
    name: "nobody wants",
    change: { life: { kind: "terminating" }, removal: { cause: { kind: "orphaned" } } },
    counted: ["running_pods", "active_pods ", "working_pods runtime_only terminating "],
  },
])("a pod that $name", ({ change, counted }) => {
  const expected = { "node_name n": 1, ...Object.fromEntries(counted.map((name) => [name, 1])) };
  expect(gaugesOf([pod(change)])).toEqual(expected);
});

test("static pods are counted separately", () => {
  expect(gaugesOf([pod(), pod({}, isStatic), pod({}, isStatic)])).toMatchObject({
    running_pods: 3,
    "desired_pods true": 2,
    "desired_pods ": 1,
    "active_pods true": 2,
    "working_pods desired sync true": 2,
  });
});

test("containers are counted by their state", () => {
  const containers = { a: { kind: "running" }, b: { kind: "running" }, c: { kind: "exited" }, d: { kind: "waiting" } };
  const found = gaugesOf([pod({ containers })]);
  expect(Object.entries(found).filter(([name]) => name.startsWith("running_containers"))).toEqual([
    ["running_containers exited", 1],
    ["running_containers running", 2],
  ]);
});
