/** The kubelet's metrics of the device manager, the pod resources API and the topology manager. */
import type { Metrics } from "@hooklet/core";
import type { PodResourcesCall } from "./grpc/servers.js";
import type { TopologyScope } from "./topology/policy.js";

export type DeviceMetrics = ReturnType<typeof createMetrics>;

export function createMetrics(metrics: Metrics) {
  const registrations = metrics.counter({
    name: "kubelet_device_plugin_registration_total",
    help: "Cumulative number of device plugin registrations. Broken down by resource name.",
    labels: ["resource_name"],
  });
  const allocations = metrics.histogram({
    name: "kubelet_device_plugin_alloc_duration_seconds",
    help: "Duration in seconds to serve a device plugin Allocation request. Broken down by resource name.",
    labels: ["resource_name"],
  });
  const requests = metrics.counter({
    name: "kubelet_pod_resources_endpoint_requests_total",
    help: "Cumulative number of requests to the PodResource endpoint. Broken down by server api version.",
    labels: ["server_api_version"],
  });
  const counter = (name: string, help: string) =>
    metrics.counter({ name: `kubelet_pod_resources_endpoint_${name}`, help, labels: ["server_api_version"] });
  const byCall: Readonly<Record<PodResourcesCall, readonly [ReturnType<typeof counter>, ReturnType<typeof counter>]>> =
    {
      list: [
        counter(
          "requests_list",
          "Number of requests to the PodResource List endpoint. Broken down by server api version.",
        ),
        counter(
          "errors_list",
          "Number of requests to the PodResource List endpoint which returned error. Broken down by server api version.",
        ),
      ],
      get: [
        counter(
          "requests_get",
          "Number of requests to the PodResource Get endpoint. Broken down by server api version.",
        ),
        counter(
          "errors_get",
          "Number of requests to the PodResource Get endpoint which returned error. Broken down by server api version.",
        ),
      ],
      get_allocatable: [
        counter(
          "requests_get_allocatable",
          "Number of requests to the PodResource GetAllocatableResources endpoint. Broken down by server api version.",
        ),
        counter(
          "errors_get_allocatable",
          "Number of requests to the PodResource GetAllocatableResources endpoint which returned error. Broken down by server api version.",
        ),
      ],
    };
  const admissions = metrics.counter({
    name: "kubelet_topology_manager_admission_requests_total",
    help: "The number of admission requests where resources have to be aligned.",
  });
  const admissionErrors = metrics.counter({
    name: "kubelet_topology_manager_admission_errors_total",
    help: "The number of admission request failures where resources could not be aligned.",
  });
  const admissionDuration = metrics.histogram({
    name: "kubelet_topology_manager_admission_duration_ms",
    help: "Duration in milliseconds to serve a pod admission request.",
    buckets: Array.from({ length: 14 }, (_, power) => 0.05 * 2 ** power),
  });
  const aligned = metrics.counter({
    name: "kubelet_container_aligned_compute_resources_count",
    help: "Cumulative number of aligned compute resources allocated to containers by alignment type.",
    labels: ["scope", "boundary"],
  });
  const notAligned = metrics.counter({
    name: "kubelet_container_aligned_compute_resources_failure_count",
    help: "Cumulative number of failures to allocate aligned compute resources to containers by alignment type.",
    labels: ["scope", "boundary"],
  });
  return {
    registered(resource: string): void {
      registrations.inc({ resource_name: resource });
    },
    allocated(resource: string, milliseconds: number): void {
      allocations.observe(milliseconds / 1000, { resource_name: resource });
    },
    asked(call: PodResourcesCall, failed: boolean): void {
      const labels = { server_api_version: "v1" };
      requests.inc(labels);
      byCall[call][0].inc(labels);
      if (failed) byCall[call][1].inc(labels);
    },
    admitted(milliseconds: number, failed: boolean): void {
      admissions.inc();
      if (failed) admissionErrors.inc();
      admissionDuration.observe(milliseconds);
    },
    aligned(scope: TopologyScope, succeeded: boolean): void {
      (succeeded ? aligned : notAligned).inc({ scope, boundary: "numa_node" });
    },
  };
}
