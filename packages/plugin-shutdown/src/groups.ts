/** Which pods are stopped together, in which order and how long each has (pkg/kubelet/nodeshutdown). Pure. */
import type { Pod } from "@hooklet/core";

export interface Period {
  /** The least priority of a pod that it is for. */
  readonly priority: number;
  readonly shutdownGracePeriodSeconds: number;
}

export interface Group extends Period {
  readonly pods: readonly Pod[];
}

export interface ShutdownOptions {
  /** Seconds for all pods; 0: the plugin does nothing. */
  readonly shutdownGracePeriod: number;
  /** Seconds of these for critical pods, which go last. */
  readonly shutdownGracePeriodCriticalPods: number;
  readonly shutdownGracePeriodByPodPriority: readonly Period[];
}

/** scheduling.SystemCriticalPriority. */
const CRITICAL = 2_000_000_000;

/** Ascending by priority: the order in which pods stop. Empty: graceful shutdown is not configured. */
export function periodsOf(options: ShutdownOptions): readonly Period[] {
  const { shutdownGracePeriod, shutdownGracePeriodCriticalPods, shutdownGracePeriodByPodPriority } = options;
  if (shutdownGracePeriodByPodPriority.length > 0) {
    return shutdownGracePeriodByPodPriority.toSorted((a, b) => a.priority - b.priority);
  }
  if (shutdownGracePeriod === 0) return [];
  const others = shutdownGracePeriod - shutdownGracePeriodCriticalPods;
  return [
    { priority: 0, shutdownGracePeriodSeconds: Math.floor(others) },
    { priority: CRITICAL, shutdownGracePeriodSeconds: Math.floor(shutdownGracePeriodCriticalPods) },
  ];
}

/** A pod is of the highest period that its priority reaches; of the lowest where it reaches none. */
export function groupByPriority(periods: readonly Period[], pods: readonly Pod[]): readonly Group[] {
  const members: Pod[][] = periods.map(() => []);
  for (const pod of pods) {
    const priority = pod.spec.priority ?? 0;
    const reached = periods.findLastIndex((period) => period.priority <= priority);
    members[Math.max(0, reached)]?.push(pod);
  }
  return periods.map((period, index) => ({ ...period, pods: members[index] ?? [] }));
}

/** Seconds that a pod of the group has: its own, where they are fewer. */
export function graceOf({ spec }: Pod, { shutdownGracePeriodSeconds }: Period): number {
  return Math.min(spec.terminationGracePeriodSeconds ?? shutdownGracePeriodSeconds, shutdownGracePeriodSeconds);
}

/** Seconds that logind is asked to delay the shutdown. */
export function longest(periods: readonly Period[]): number {
  return periods.reduce((sum, { shutdownGracePeriodSeconds }) => sum + shutdownGracePeriodSeconds, 0);
}
