/** The plugin: which statistics it provides, and when they are read. */
import { definePlugin, duration, type NodePlugin, type OptionsSchema } from "@hooklet/core";
import { DiskMeasurer } from "./disk/measurer.js";
import { cadvisorFamilies, cadvisorSamples } from "./metrics/cadvisor.js";
import { logFamilies, logSamples, volumeDuration } from "./metrics/disk.js";
import { resourceFamilies, resourceSamples } from "./metrics/resource.js";
import { OomLedger } from "./oom/ledger.js";
import { countTree, OomWatch } from "./oom/watch.js";
import { StatisticsReader } from "./reader.js";

const OOM_SECONDS = 10;

/** Names and defaults are KubeletConfiguration's. */
export interface StatsOptions {
  /** Seconds; null: the disk usage of pods is not measured. */
  readonly volumeStatsAggPeriod: number | null;
}

const options: OptionsSchema<StatsOptions> = (z) =>
  z.strictObject({
    volumeStatsAggPeriod: duration("1s", "24h")
      .nullable()
      .default(60)
      .describe(
        "How old the disk usage of volumes, logs and writable layers may be in statistics. null: it is not measured.",
      ),
  });

/** Statistics of node, pods and containers in the kubelet's shapes: the Summary, its metrics and cAdvisor's, OOM kills. */
export const plugin: NodePlugin<StatsOptions> = definePlugin<StatsOptions>({
  meta: { name: "@hooklet/plugin-stats", api: 1, description: "Statistics of node, pods and containers" },
  options,

  start(ctx, { volumeStatsAggPeriod }) {
    const period = volumeStatsAggPeriod === null ? undefined : volumeStatsAggPeriod * 1000;
    const disks = new DiskMeasurer({ ctx, period, volumeTook: volumeDuration(ctx.metrics) });
    const reader = new StatisticsReader(ctx, disks);
    const ledger = new OomLedger();
    const oom = new OomWatch({ ctx, statistics: reader, ledger });

    ctx.node.provideStatistics({
      read: () => reader.summary(),
      measureDisks: (maxAgeSeconds) => disks.fresh(ctx.pods.active(), maxAgeSeconds * 1000),
      memory: () => reader.memory(),
    });
    ctx.metrics.collect(resourceFamilies, async () => {
      const pods = reader.measured();
      return resourceSamples(await reader.usage(pods).catch(() => undefined), pods);
    });
    ctx.metrics.collect(cadvisorFamilies, async () => {
      const pods = reader.measured();
      const [measured, networks] = await Promise.all([reader.onDisk(pods), reader.networks(pods)]);
      const reading = reader.cgroups(pods);
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
    ctx.metrics.collect(logFamilies, async () => {
      const pods = reader.measured();
      return logSamples(await reader.onDisk(pods), pods);
    });
    ctx.hooks.tick(OOM_SECONDS).tap({ name: "oom" }, () => oom.look());
    ctx.pods.watch((uid, pod) => {
      if (pod === undefined) ledger.forget(uid);
    });
    return {
      open: async () => oom.begin(),
      stop: () => reader.close(),
    };
  },
});
