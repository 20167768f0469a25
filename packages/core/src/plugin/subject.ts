/** The subjects of decisions about pods, by which `hooklet explain` finds them. Pure. */
import { namespacedName, type Pod } from "@hooklet/manifest";

/** `pod/<namespace>/<name>`: what a decision about a pod is about, and what a pod is called among those considered. */
export function podSubject({ metadata }: Pick<Pod, "metadata">): string {
  return `pod/${namespacedName(metadata)}`;
}

/** `container/<namespace>/<pod>/<name>`. */
export function containerSubject({ metadata }: Pick<Pod, "metadata">, container: string): string {
  return `container/${namespacedName(metadata)}/${container}`;
}
