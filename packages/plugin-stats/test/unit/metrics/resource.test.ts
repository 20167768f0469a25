import { expect, test } from "@jest/globals";
import { resourceFamilies, resourceSamples } from "../../../src/metrics/resource.js";
import { aUsage } from "../usages.js";
import { aPod } from "../world.js";

const measured = (name: string, ...ids: readonly string[]) => ({
  pod: aPod(name),
  containers: ids.map((id) => ({ name: `c-${id}`, id, startedAt: 4_500 })),
});
const none = Object.fromEntries(resourceFamilies.map(({ name }) => [name, []]));

test("families stand where the kubelet has them, each called stable", () => {
  expect(new Set(resourceFamilies.map(({ path }) => path))).toEqual(new Set(["/metrics/resource"]));
  expect(resourceFamilies.every(({ help }) => help.startsWith("[STABLE] "))).toBe(true);
  expect(
    Object.fromEntries(resourceFamilies.map(({ name, type, labels }) => [name, [type, ...(labels ?? [])]])),
  ).toEqual({
    node_cpu_usage_seconds_total: ["counter"],
    node_memory_working_set_bytes: ["gauge"],
    node_swap_usage_bytes: ["gauge"],
    container_cpu_usage_seconds_total: ["counter", "container", "namespace", "pod"],
    container_memory_working_set_bytes: ["gauge", "container", "namespace", "pod"],
    container_start_time_seconds: ["gauge", "container", "namespace", "pod"],
    pod_cpu_usage_seconds_total: ["counter", "namespace", "pod"],
    pod_memory_working_set_bytes: ["gauge", "namespace", "pod"],
    resource_scrape_error: ["gauge"],
  });
});

test("node, pods and containers have their usage, at the time of its reading", () => {
  const usage = aUsage("/pod", { at: 8_000 });
  const containers = new Map([["id1", aUsage("/pod/id1", { at: 9_000 })]]);
  const tree = { at: 0, pods: undefined, qos: {}, byPod: new Map([["uid-a", { usage, containers }]]) };
  const pods = [measured("a", "id1", "gone"), measured("unknown", "id1")];
  const ofPod = { namespace: "default", pod: "a" };
  const ofContainer = { container: "c-id1", ...ofPod };
  expect(resourceSamples({ tree, node: aUsage("/") }, pods)).toEqual({
    resource_scrape_error: [{ labels: {}, value: 0 }],
    node_cpu_usage_seconds_total: [{ labels: {}, value: 2.5, timestamp: 7_900 }],
    node_memory_working_set_bytes: [{ labels: {}, value: 12, timestamp: 7_900 }],
    node_swap_usage_bytes: [{ labels: {}, value: 14, timestamp: 7_900 }],
    pod_cpu_usage_seconds_total: [{ labels: ofPod, value: 2.5, timestamp: 8_000 }],
    pod_memory_working_set_bytes: [{ labels: ofPod, value: 12, timestamp: 8_000 }],
    container_cpu_usage_seconds_total: [{ labels: ofContainer, value: 2.5, timestamp: 9_000 }],
    container_memory_working_set_bytes: [{ labels: ofContainer, value: 12, timestamp: 9_000 }],
    container_start_time_seconds: [{ labels: ofContainer, value: 4.5 }],
  });
});

test("what the kernel does not report has no sample", () => {
  const { cpu, memory } = aUsage("/");
  const unknown = { cpu: { ...cpu, usageNanoSeconds: undefined }, memory: { ...memory, swapBytes: undefined } };
  const tree = { at: 0, pods: undefined, qos: {}, byPod: new Map() };
  expect(resourceSamples({ tree, node: aUsage("/", unknown) }, [])).toEqual({
    ...none,
    resource_scrape_error: [{ labels: {}, value: 0 }],
    node_memory_working_set_bytes: [{ labels: {}, value: 12, timestamp: 7_900 }],
  });
  expect(resourceSamples({ tree, node: undefined }, [])).toEqual({
    ...none,
    resource_scrape_error: [{ labels: {}, value: 0 }],
  });
});

test("without a reading there is the error alone", () => {
  expect(resourceSamples(undefined, [measured("a", "id1")])).toEqual({
    ...none,
    resource_scrape_error: [{ labels: {}, value: 1 }],
  });
});
