/** Evicts a pod whose emptyDir outgrew its sizeLimit, as the kubelet's local storage eviction does. */

import type { Pod } from "@hooklet/manifest";
import { parseQuantity, quantityValue as value } from "@hooklet/manifest";
import type { Eviction } from "../../plugin/contract.js";
import { diskUsage } from "./disk-usage.js";
import type { PodVolumes } from "./volumes.js";

/** Seconds between two looks: the kubelet's eviction monitoring interval. */
export const CHECK_PERIOD_SECONDS = 10;

/** The eviction that the pod has earned, undefined when all its emptyDirs are within their limits. */
export async function overLimit(pod: Pod, volumes: Pick<PodVolumes, "volumePath">): Promise<Eviction | undefined> {
  for (const volume of pod.spec.volumes ?? []) {
    const limit = volume.emptyDir?.sizeLimit;
    if (limit === undefined) continue;
    const bytes = value(parseQuantity(limit));
    if (bytes > 0 && (await usage(volumes.volumePath(pod, volume))) > bytes) {
      const message = `Usage of EmptyDir volume "${volume.name}" exceeds the limit "${limit}". `;
      return { reason: "Evicted", message, gracePeriodSeconds: 1 };
    }
  }
  return undefined;
}

async function usage(directory: string): Promise<number> {
  try {
    return await diskUsage(directory);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}
