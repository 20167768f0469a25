import type { PodsPort } from "../plugin/contract.js";
import type { Evictions } from "../pod/life/evictions.js";
import type { PodManager } from "../pod/life/manager.js";
import type { PodVolumes } from "../pod/life/volumes.js";

/** The pods as one plugin moves them: evictions carry its name. */
export function podsFor(
  plugin: string,
  manager: PodManager,
  evictions: Evictions,
  volumes: Pick<PodVolumes, "emptyDirs">,
): PodsPort {
  return {
    list: () => manager.list(),
    get: (uid) => manager.get(uid),
    active: () => manager.active(),
    evict: (uid, eviction) => evictions.evict(uid, eviction, plugin),
    setContainerReady: (ref, ready) => manager.words.setContainerReady(ref, ready),
    setContainerStarted: (ref, started) => manager.words.setContainerStarted(ref, started),
    setAppliedResources: (ref, resources) => manager.words.setAppliedResources(ref, resources),
    setAllocatedResourcesStatus: (ref, status) => manager.words.setAllocatedResourcesStatus(ref, status),
    setCondition: (uid, type, condition) => manager.words.setCondition(uid, type, condition),
    restartContainer: (ref, restart) => manager.restartContainer(ref, restart),
    volumeDirectories: (uid) => volumes.emptyDirs(manager.get(uid)),
    running: (ref) => manager.running(ref),
  };
}
