/** Where a pod's directory and volumes lie on the node: as the kubelet has them below `<root>/pods/<uid>`. Nothing is touched here. Pure. */

import path from "node:path";
import { pathSegment } from "@hooklet/linux";
import type { Pod } from "@hooklet/manifest";
import type { MemoryVolumes, VolumeDirectory } from "@hooklet/volumes";
import type { Volume } from "kubernetes-types/core/v1.js";
import type { ProvidedVolumes } from "./provided-volumes.js";

export class VolumePlaces {
  constructor(
    private readonly rootDir: string,
    private readonly memory: Pick<MemoryVolumes, "place">,
    private readonly provided: ProvidedVolumes | undefined,
  ) {}

  podDir(uid: string): string {
    return path.join(this.rootDir, "pods", pathSegment(uid));
  }

  of(pod: Pod, volume: Volume): string {
    if (volume.hostPath !== undefined) return path.resolve("/", volume.hostPath.path);
    if (this.provided?.isProvided(volume)) return this.provided.place(pod, volume) ?? this.filled(pod, volume);
    const { uid } = pod.metadata;
    if (volume.emptyDir?.medium === "Memory") return this.memory.place(pathSegment(uid), emptyDirSteps(volume));
    return path.join(this.podDir(uid), ...emptyDirSteps(volume));
  }

  /** The directory that a plugin fills. */
  filled(pod: Pod, volume: Volume): string {
    const { uid } = pod.metadata;
    const steps = this.provided?.steps(volume) ?? [];
    if (this.provided?.content(volume) === "memory") return this.memory.place(pathSegment(uid), steps);
    return path.join(this.podDir(uid), ...steps);
  }

  /** The pod's emptyDirs, in the order of its manifest. */
  emptyDirs(pod: Pod): readonly VolumeDirectory[] {
    const volumes = (pod.spec.volumes ?? []).filter(({ emptyDir }) => emptyDir !== undefined);
    return volumes.map((volume) => ({
      name: volume.name,
      path: this.of(pod, volume),
      medium: volume.emptyDir?.medium ?? "",
    }));
  }

  /** What plugins filled in memory. */
  filledInMemory(pod: Pod): readonly VolumeDirectory[] {
    const volumes = (pod.spec.volumes ?? []).filter((volume) => this.provided?.content(volume) === "memory");
    return volumes.map((volume) => ({ name: volume.name, path: this.filled(pod, volume), medium: "Memory" }));
  }
}

export function emptyDirSteps(volume: Volume): readonly string[] {
  return ["volumes", "kubernetes.io~empty-dir", pathSegment(volume.name)];
}
