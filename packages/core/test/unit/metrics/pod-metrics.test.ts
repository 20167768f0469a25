import { expect, test } from "@jest/globals";
import { createPodMetrics, type PodMetrics } from "../../../src/metrics/pod-metrics.js";
import type { Metrics } from "../../../src/plugin/contract.js";

/** What the kubelet's metrics get, without `kubelet_`. */
function toldBy(tell: (metrics: PodMetrics) => void): readonly string[] {
  const reported: string[] = [];
  const metric = ({ name }: { readonly name: string }) => {
    const note = (value: number, labels: object = {}): void => {
      const words = [name.replace("kubelet_", ""), ...Object.entries(labels).map((one) => one.join("=")), value];
      reported.push(words.join(" "));
    };
    return { inc: (labels?: object) => note(1, labels), observe: note, set: note, remove: () => undefined };
  };
  tell(createPodMetrics({ counter: metric, histogram: metric, gauge: metric } as unknown as Metrics));
  return reported;
}

test.each<[string, (metrics: PodMetrics) => void, readonly string[]]>([
  ["a pod that starts", (m) => m.startedPods(), ["started_pods_total 1"]],
  ["a pod that cannot be started", (m) => m.startedPodErrors(), ["started_pods_errors_total 1"]],
  [
    "a container that starts",
    (m) => m.startedContainer("init_container"),
    ["started_containers_total container_type=init_container 1"],
  ],
  [
    "one that cannot",
    (m) => m.startedContainerError("container", "E"),
    ["started_containers_errors_total container_type=container code=E 1"],
  ],
  [
    "one that ends",
    (m) => m.terminatedContainer("container", 137, "OOMKilled"),
    ["terminated_containers_total container_type=container exit_code=137 reason=OOMKilled 1"],
  ],
  ["an unknown pod", (m) => m.orphanedPod(), ["orphaned_runtime_pods_total 1"]],
  ["the time until a pod runs", (m) => m.podStarted(2), ["pod_start_duration_seconds 2"]],
  ["the time until it is handled", (m) => m.workerStart(2), ["pod_worker_start_duration_seconds 2"]],
  ["the time of a look", (m) => m.sync("kill", 2), ["pod_worker_duration_seconds operation_type=kill 2"]],
  ["the time of a sandbox", (m) => m.runSandbox("kata", 2), ["run_podsandbox_duration_seconds runtime_handler=kata 2"]],
  ["a pod's containers", (m) => m.containersPerPod(2), ["containers_per_pod_count 2"]],
  [
    "a call of the runtime",
    (m) => m.runtimeOperation("version", 2, false),
    [
      "runtime_operations_total operation_type=version 1",
      "runtime_operations_duration_seconds operation_type=version 2",
    ],
  ],
  [
    "one that fails",
    (m) => m.runtimeOperation("version", 2, true),
    [
      "runtime_operations_total operation_type=version 1",
      "runtime_operations_duration_seconds operation_type=version 2",
      "runtime_operations_errors_total operation_type=version 1",
    ],
  ],
  [
    "the first relist",
    (m) => m.relist(1, undefined, 9),
    ["pleg_relist_duration_seconds 1", "pleg_last_seen_seconds 9"],
  ],
  [
    "a later one",
    (m) => m.relist(1, 2, 9),
    ["pleg_relist_duration_seconds 1", "pleg_relist_interval_seconds 2", "pleg_last_seen_seconds 9"],
  ],
  ["a static pod that comes again", (m) => m.restartedPod(true), ["restarted_pods_total static=true 1"]],
  ["another one", (m) => m.restartedPod(false), ["restarted_pods_total static= 1"]],
  ["a pod that is refused", (m) => m.rejectedPod("OutOfcpu"), ["admission_rejections_total reason=OutOfcpu 1"]],
  ["a sleep that is cut short", (m) => m.sleepTerminatedEarly(), ["sleep_action_terminated_early_total 1"]],
])("%s is counted as by the kubelet", (_, tell, reported) => {
  expect(toldBy(tell)).toEqual(reported);
});
