/** The changes between two lists of pods, as events of a Kubernetes watch. */
import type { Pod } from "@hooklet/manifest";
import type { PodChange } from "@hooklet/streams";

/** Remembers the last list; each call tells what is new since. */
export function podDiff(): (pods: readonly Pod[]) => readonly PodChange[] {
  let known = new Map<string, { readonly pod: Pod; readonly text: string }>();
  return (pods) => {
    const changes: PodChange[] = [];
    const next: typeof known = new Map();
    for (const pod of pods) {
      const before = known.get(pod.metadata.uid);
      if (before?.pod === pod) {
        next.set(pod.metadata.uid, before);
        continue;
      }
      const text = JSON.stringify(pod);
      next.set(pod.metadata.uid, { pod, text });
      if (before === undefined) changes.push({ type: "ADDED", object: pod });
      else if (before.text !== text) changes.push({ type: "MODIFIED", object: pod });
    }
    for (const [uid, { pod }] of known) if (!next.has(uid)) changes.push({ type: "DELETED", object: pod });
    known = next;
    return changes;
  };
}
