/** Whether a manifest that was read again still says the same. Pure. */
import { isDeepStrictEqual } from "node:util";
import { ConfigAnnotations, type Pod } from "./pod.js";

/** Same labels, annotations and spec; when it was seen, and its uid, play no part. */
export function saysTheSame(a: Pod, b: Pod): boolean {
  return a === b || isDeepStrictEqual(content(a), content(b));
}

/** Same name and spec, with any labels and annotations: the running containers of one serve the other. */
export function runsTheSame(a: Pod, b: Pod): boolean {
  return a === b || isDeepStrictEqual(running(a), running(b));
}

/** Keeps the pods that did not change, with the time at which they were first seen. */
export function keepUnchanged(before: readonly Pod[], now: readonly Pod[]): readonly Pod[] {
  const known = new Map(before.map((pod) => [pod.metadata.uid, pod]));
  return now.map((pod) => {
    const old = known.get(pod.metadata.uid);
    return old !== undefined && saysTheSame(old, pod) ? old : pod;
  });
}

function content(pod: Pod): unknown {
  const { metadata } = pod;
  const { [ConfigAnnotations.hash]: _, [ConfigAnnotations.seen]: __, ...annotations } = metadata.annotations ?? {};
  return { ...running(pod), labels: metadata.labels ?? {}, annotations };
}

function running({ metadata: { name, namespace }, spec }: Pod) {
  return { name, namespace, spec };
}
