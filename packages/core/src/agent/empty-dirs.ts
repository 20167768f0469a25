import { isCriticalPod } from "@hooklet/manifest";
import type { NodeHooks } from "../hooks/hooks.js";
import type { PodMetrics } from "../metrics/pod-metrics.js";
import { CHECK_PERIOD_SECONDS, overLimit } from "../pod/life/empty-dir-limits.js";
import type { Evictions } from "../pod/life/evictions.js";
import type { PodManager } from "../pod/life/manager.js";
import type { PodVolumes } from "../pod/life/volumes.js";

export interface EmptyDirPorts {
  readonly manager: Pick<PodManager, "active">;
  readonly evictions: Evictions;
  readonly volumes: Pick<PodVolumes, "volumePath">;
  readonly metrics: Pick<PodMetrics, "evicted">;
}

/** Core's own tap: emptyDir limits. As in the kubelet, critical pods, and so all static ones, may outgrow theirs. */
export function watchEmptyDirs(hooks: NodeHooks, { manager, evictions, volumes, metrics }: EmptyDirPorts): void {
  hooks.tick.for(String(CHECK_PERIOD_SECONDS)).tapPromise("core", async () => {
    for (const pod of manager.active()) {
      if (pod.metadata.deletionTimestamp !== undefined || isCriticalPod(pod)) continue;
      const eviction = await overLimit(pod, volumes);
      if (eviction === undefined) continue;
      await evictions.evict(pod.metadata.uid, eviction, "core");
      metrics.evicted("emptydirfs.limit");
    }
  });
}
