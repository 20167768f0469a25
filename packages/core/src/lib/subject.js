/** The subjects of decisions about pods, by which `hooklet explain` finds them. Pure. */
import { namespacedName } from "@hooklet/manifest";
/** `pod/<namespace>/<name>`: what a decision about a pod is about, and what a pod is called among those considered. */
export function podSubject({ metadata }) {
  return `pod/${namespacedName(metadata)}`;
}
/** `container/<namespace>/<pod>/<name>`. */
export function containerSubject({ metadata }, container) {
  return `container/${namespacedName(metadata)}/${container}`;
}
