/** Checks runAsNonRoot against the image's user (the kubelet's verifyRunAsNonRoot). Pure. */

import { type Container, type Pod, podText } from "@hooklet/manifest";
import type { Image } from "../../runtime/port.js";
import { ContainerConfigError } from "./env.js";

/** @throws ContainerConfigError when the container would run as root, or that cannot be decided */
export function verifyRunAsNonRoot(pod: Pod, container: Container, image: Image): void {
  const own = container.securityContext;
  const nonRoot = own?.runAsNonRoot ?? pod.spec.securityContext?.runAsNonRoot;
  if (nonRoot !== true) return;
  const where = `(pod: ${JSON.stringify(podText(pod))}, container: ${container.name})`;
  const runAsUser = own?.runAsUser ?? pod.spec.securityContext?.runAsUser;
  if (runAsUser !== undefined) {
    if (runAsUser === 0) throw new ContainerConfigError(`container's runAsUser breaks non-root policy ${where}`);
    return;
  }
  if (image.uid === undefined && image.username) {
    throw new ContainerConfigError(
      `container has runAsNonRoot and image has non-numeric user (${image.username}), cannot verify user is non-root ${where}`,
    );
  }
  if ((image.uid ?? 0) === 0) {
    throw new ContainerConfigError(`container has runAsNonRoot and image will run as root ${where}`);
  }
}
