/** What the API lets be changed of a running pod, done without stopping the pod: an image is a container's alone. */
import type { Container, Pod, PodsPort } from "@hooklet/core";

/** Names of containers that must restart because their image changed. Pure. */
export function redefined(before: Pod, after: Pod): readonly string[] {
  const images = new Map(containers(before).map(({ name, image }) => [name, image]));
  return containers(after).flatMap(({ name, image }) => {
    const old = images.get(name);
    return old === undefined || old === image ? [] : [name];
  });
}

/** True: the pod continues with its new manifest. */
export function applyInPlace(pods: Pick<PodsPort, "restartContainer">, before: Pod, after: Pod): boolean {
  for (const container of redefined(before, after)) {
    pods.restartContainer(
      { podUid: after.metadata.uid, container },
      { message: `Container ${container} definition changed, will be restarted` },
    );
  }
  return true;
}

function containers({ spec }: Pod): readonly Container[] {
  return [...(spec.initContainers ?? []), ...spec.containers];
}
