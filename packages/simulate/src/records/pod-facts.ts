/** What figures and expectations read of a pod's status. Pure. */
import { podReady } from "@hooklet/core/base";
import { namespacedName, type Pod } from "@hooklet/manifest";

export interface PodFacts {
  /** `namespace/name`. */
  readonly pod: string;
  readonly phase: string;
  readonly ready: boolean;
  /** Of all its containers. */
  readonly restarts: number;
}

export function podFacts(pod: Pod): PodFacts {
  const { metadata, status = {} } = pod;
  return {
    pod: namespacedName(metadata),
    phase: status.phase ?? "Pending",
    ready: podReady(pod),
    restarts: [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].reduce(
      (sum, { restartCount }) => sum + restartCount,
      0,
    ),
  };
}
