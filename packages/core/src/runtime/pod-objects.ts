/** What the runtime has of each pod, told by its labels. Pure. */
import { type Container, Labels, type Sandbox } from "./objects.js";

export interface PodObjects {
  readonly sandboxes: readonly Sandbox[];
  readonly containers: readonly Container[];
}

/** Bytes of a name in a folder (NAME_MAX of Linux). */
const LONGEST_NAME = 255;
const NAMES = [Labels.podUid, Labels.podName, Labels.podNamespace] as const;

/** By pod uid, in the order of the lists. What is no pod's belongs to somebody else and is left out. */
export function byPodUid(
  sandboxes: readonly Sandbox[],
  containers: readonly Container[],
): ReadonlyMap<string, { readonly sandboxes: Sandbox[]; readonly containers: Container[] }> {
  const byUid = new Map<string, { sandboxes: Sandbox[]; containers: Container[] }>();
  const of = ({ labels }: Sandbox | Container) => {
    const uid = podUidOf(labels);
    if (uid === undefined) return undefined;
    const known = byUid.get(uid) ?? { sandboxes: [], containers: [] };
    byUid.set(uid, known);
    return known;
  };
  for (const sandbox of sandboxes) of(sandbox)?.sandboxes.push(sandbox);
  for (const container of containers) of(container)?.containers.push(container);
  return byUid;
}

/**
 * The uid of the pod that labels name. Undefined without one, and where uid, name or namespace cannot be a folder's name: no API server
 * took such a pod, and folders are made and removed by these names.
 */
export function podUidOf(labels: Sandbox["labels"]): string | undefined {
  const isPods = NAMES.every((label) => labels[label] === undefined || isFolderName(labels[label]));
  return isPods ? labels[Labels.podUid] : undefined;
}

function isFolderName(name: string): boolean {
  if (name === "" || name === "." || name === ".." || Buffer.byteLength(name) > LONGEST_NAME) return false;
  return !/[/\p{Cc}]/u.test(name);
}
