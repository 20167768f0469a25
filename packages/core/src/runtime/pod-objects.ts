/** What the runtime has of each pod, told by its labels. Pure. */
import { type Container, Labels, type Sandbox } from "./objects.js";

export interface PodObjects {
  readonly sandboxes: readonly Sandbox[];
  readonly containers: readonly Container[];
}

/** By pod uid, in the order of the lists. What has no such label belongs to somebody else and is left out. */
export function byPodUid(
  sandboxes: readonly Sandbox[],
  containers: readonly Container[],
): ReadonlyMap<string, { readonly sandboxes: Sandbox[]; readonly containers: Container[] }> {
  const byUid = new Map<string, { sandboxes: Sandbox[]; containers: Container[] }>();
  const of = ({ labels }: Sandbox | Container) => {
    const uid = labels[Labels.podUid];
    if (uid === undefined) return undefined;
    const known = byUid.get(uid) ?? { sandboxes: [], containers: [] };
    byUid.set(uid, known);
    return known;
  };
  for (const sandbox of sandboxes) of(sandbox)?.sandboxes.push(sandbox);
  for (const container of containers) of(container)?.containers.push(container);
  return byUid;
}
