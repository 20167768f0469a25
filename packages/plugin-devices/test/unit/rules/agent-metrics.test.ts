/** What a dashboard of a kubelet's device manager finds here. */
import { expect, test } from "@jest/globals";
import { devices, GPU } from "../../devices.js";
import { running, start, user } from "../agent/story.js";

test("registrations, allocations and calls of the pod resources API are counted under the kubelet's names", async () => {
  const { agent, io } = await start();
  await io.plug(GPU, devices(2));
  await io.plug(GPU, devices(2));
  await running(agent, user("a", 1));
  for (const [call, failed] of [
    ["list", false],
    ["get", false],
    ["get", true],
    ["get_allocatable", false],
  ] as const) {
    io.podResources?.counted(call, failed);
  }
  const { body } = (await agent.api.metrics("/metrics")) ?? { body: "" };
  const named = body.split("\n").filter((line) => /^kubelet_(device_plugin|pod_resources)/.test(line));
  expect(named.filter((line) => !line.includes("_bucket") && !line.includes("_sum")).sort()).toEqual([
    `kubelet_device_plugin_alloc_duration_seconds_count{resource_name="${GPU}"} 1`,
    `kubelet_device_plugin_registration_total{resource_name="${GPU}"} 2`,
    'kubelet_pod_resources_endpoint_errors_get{server_api_version="v1"} 1',
    'kubelet_pod_resources_endpoint_requests_get_allocatable{server_api_version="v1"} 1',
    'kubelet_pod_resources_endpoint_requests_get{server_api_version="v1"} 2',
    'kubelet_pod_resources_endpoint_requests_list{server_api_version="v1"} 1',
    'kubelet_pod_resources_endpoint_requests_total{server_api_version="v1"} 4',
  ]);
});
