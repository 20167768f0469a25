/** The kubelet's metrics of its CPU manager: with policy none they stay at 0, as there. */
import type { Metrics } from "@hooklet/core";

export interface CpuMetrics {
  /** A container requested exclusive processors. */
  readonly requested: (failed: boolean) => void;
  /** @param shared processors that are free or shared, without reserved ones */
  readonly pools: (shared: number, exclusive: number) => void;
}

export function createCpuMetrics(metrics: Metrics): CpuMetrics {
  const requests = metrics.counter({
    name: "kubelet_cpu_manager_pinning_requests_total",
    help: "The number of cpu core allocations which required pinning.",
  });
  const errors = metrics.counter({
    name: "kubelet_cpu_manager_pinning_errors_total",
    help: "The number of cpu core allocations which required pinning failed.",
  });
  const pool = metrics.gauge({
    name: "kubelet_cpu_manager_shared_pool_size_millicores",
    help: "The size of the shared CPU pool for non-guaranteed QoS pods, in millicores.",
  });
  const exclusive = metrics.gauge({
    name: "kubelet_cpu_manager_exclusive_cpu_allocation_count",
    help: "The total number of CPUs exclusively allocated to containers running on this node",
  });
  const pools = (shared: number, own: number): void => {
    pool.set(shared * 1000);
    exclusive.set(own);
  };
  requests.inc({}, 0);
  errors.inc({}, 0);
  pools(0, 0);
  return {
    requested(failed) {
      requests.inc();
      if (failed) errors.inc();
    },
    pools,
  };
}
