/** Groups the runtime's sandboxes and containers by pod, from their labels. Pure. */
import { isName } from "@hooklet/manifest";
import { type Container, Labels, type Sandbox } from "./objects.js";

export interface PodObjects {
  readonly sandboxes: readonly Sandbox[];
  readonly containers: readonly Container[];
}

const NAMES = [
  [Labels.podUid, "uid"],
  [Labels.podName, "name"],
  [Labels.podNamespace, "namespace"],
] as const;

/** By pod uid, in the order of the lists. Objects without pod labels belong to other programs and are left out. */
export function byPodUid(
  sandboxes: readonly Sandbox[],
  containers: readonly Container[],
): ReadonlyMap<string, PodObjects> {
  const byUid = new Map<string, { sandboxes: Sandbox[]; containers: Container[] }>();
  const of = ({ labels }: Sandbox | Container) => {
    const uid = podUidOf(labels);
    if (uid === undefined) return undefined;
    const known = byUid.get(uid) ?? { sandboxes: [], containers: [] };
    byUid.set(uid, known);
    return known;
  };
  for (const sandbox of sandboxes) of(sandbox)?.sandboxes.push(sandbox);
  for (const container of containers) {
    if (isName(container.metadata.name, "container")) of(container)?.containers.push(container);
  }
  return byUid;
}

/**
 * The uid of the pod that labels name. Undefined without one, and where uid, name or namespace breaks the rules that the pods of sources
 * keep: no agent started such a pod, and folders are made and removed by these names.
 */
export function podUidOf(labels: Sandbox["labels"]): string | undefined {
  const isPods = NAMES.every(([label, rule]) => labels[label] === undefined || isName(labels[label], rule));
  return isPods ? labels[Labels.podUid] : undefined;
}
