/** The statistics side of the plugin: who provides what, and when it is read. */
import type { NodeContext } from "@hooklet/core";
import { DiskMeasurer } from "./disk/measurer.js";
import type { CgroupMetrics } from "./metrics.js";
import { OomLedger } from "./oom/ledger.js";
import { countTree, OomWatch } from "./oom/watch.js";
import type { CgroupOptions } from "./options.js";
import type { CgroupService } from "./service.js";
import { cadvisorFamilies, cadvisorSamples } from "./stats/cadvisor.js";
import { diskFamilies, diskSamples } from "./stats/disk-metrics.js";
import { StatisticsReader } from "./stats/provider.js";
import { resourceFamilies, resourceSamples } from "./stats/resource-metrics.js";

const OOM_SECONDS = 10;

export interface PluginStatistics {
  /** Once the cgroups are open. */
  open(): void;
  close(): void;
}

/** Taps, and offers statistics and metrics. For `start`. */
export function statisticsOf(
  ctx: NodeContext,
  service: CgroupService,
  { volumeStatsAggPeriod }: Pick<CgroupOptions, "volumeStatsAggPeriod">,
  { volumeTook }: Pick<CgroupMetrics, "volumeTook">,
): PluginStatistics {
  const period = volumeStatsAggPeriod === null ? undefined : volumeStatsAggPeriod * 1000;
  const disks = new DiskMeasurer({ ctx, period, volumeTook });
  const reader = new StatisticsReader(ctx, service, disks);
  const ledger = new OomLedger();
  const oom = new OomWatch({ ctx, service, statistics: reader, ledger });

  ctx.node.provideStatistics({ read: () => reader.summary(), podsCgroup: () => service.podsCgroup });
  ctx.metrics.collect(resourceFamilies, () => {
    const pods = reader.measured();
    return resourceSamples(reader.read(pods), pods);
  });
  ctx.metrics.collect(cadvisorFamilies, async () => {
    const pods = reader.measured();
    const [measured, networks] = await Promise.all([reader.onDisk(pods), reader.networks(pods)]);
    const reading = reader.read(pods);
    if (reading !== undefined) countTree(ledger, pods, reading.tree);
    return cadvisorSamples({
      reading,
      pods,
      networks,
      disks: measured,
      processes: reading === undefined ? new Map() : reader.processes(reading),
      oomKills: (uid, container) => ledger.total({ uid, container }),
    });
  });
  ctx.metrics.collect(diskFamilies, async () => {
    const pods = reader.measured();
    return diskSamples(await reader.onDisk(pods), pods);
  });
  ctx.hooks.tick(OOM_SECONDS).tap(() => {
    if (service.open !== undefined) oom.look();
  });
  ctx.pods.watch((uid, pod) => {
    if (pod === undefined) ledger.forget(uid);
  });
  return {
    open: () => oom.begin(),
    close: () => reader.close(),
  };
}
