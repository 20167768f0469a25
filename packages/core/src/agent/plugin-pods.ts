import type { PodsPort } from "../plugin/contract.js";
import type { Evictions } from "../pod/life/evictions.js";
import type { PodManager } from "../pod/life/manager.js";
import type { PodDirectories } from "../pod/life/pod-directories.js";
import type { PodVolumes } from "../pod/life/volumes.js";

interface Parts {
  readonly manager: PodManager;
  readonly evictions: Evictions;
  sourcesReady(): boolean;
  readonly volumes: Pick<PodVolumes, "emptyDirs">;
  readonly directories: Pick<PodDirectories, "list" | "look" | "remove">;
  report(where: string, error: unknown): void;
}

/** The pods as one plugin moves them: evictions carry its name, and what it does wrong in a listener stays its own. */
export function podsFor(plugin: string, parts: Parts): PodsPort {
  const { manager, evictions, volumes, directories, sourcesReady, report } = parts;
  const safely = <T>(what: string, otherwise: T, call: () => T): T => {
    try {
      return call();
    } catch (error) {
      report(`${what} of plugin ${plugin}`, error);
      return otherwise;
    }
  };
  return {
    list: () => manager.list(),
    get: (uid) => manager.get(uid),
    active: () => manager.active(),
    sourcesReady,
    awaited: () => manager.awaited(),
    evict: (uid, eviction) => evictions.evict(uid, eviction, plugin),
    setContainerReady: (ref, ready) => manager.words.setContainerReady(ref, ready),
    setContainerStarted: (ref, started) => manager.words.setContainerStarted(ref, started),
    setAppliedResources: (ref, resources) => manager.words.setAppliedResources(ref, resources),
    setAllocatedResourcesStatus: (ref, status) => manager.words.setAllocatedResourcesStatus(ref, status, plugin),
    setCondition: (uid, type, condition) => manager.words.setCondition(uid, type, condition),
    watch: (listener) => manager.watch((uid, pod) => safely("watch of pods", undefined, () => listener(uid, pod))),
    onUpdate: (applies) =>
      manager.onUpdate((before, after) => safely("update of a pod", false, () => applies(before, after) === true)),
    restartContainer: (ref, restart) => manager.restartContainer(ref, restart),
    volumeDirectories: (uid) => volumes.emptyDirs(manager.get(uid)),
    directories: () => directories.list(),
    directory: (uid) => directories.look(uid),
    removeDirectory: (uid) => directories.remove(uid),
    running: (ref) => manager.running(ref),
  };
}
