/** Files that the agent gives to a pod's containers: the hosts file, and one each for a termination message. */
import { createHash } from "node:crypto";
import { constants } from "node:fs";
import path from "node:path";
import { disk, openOwn, pathSegment, writeOwn } from "@hooklet/linux";
import type { Container, Pod } from "@hooklet/manifest";
import type { Mount } from "../../runtime/port.js";

/** Writes the managed /etc/hosts and returns its mount. */
export function hostsMount(podDir: string, text: string): Mount {
  const file = path.join(podDir, "etc-hosts");
  writeOwn(file, text, 0o644);
  return mountOf("/etc/hosts", file);
}

/** An empty file for the container's termination message, and its mount. */
export function terminationLogMount(
  podDir: string,
  pod: Pod,
  container: Container,
  attempt: number,
): Mount | undefined {
  if (!container.terminationMessagePath) return undefined;
  const file = terminationLog(podDir, pod, container.name, attempt);
  disk.mkdirSync(path.dirname(file), { recursive: true, mode: 0o750 });
  const opened = openOwn(file, constants.O_WRONLY | constants.O_TRUNC, 0o666);
  try {
    // The container may run as any user; open() obeys the umask.
    disk.fchmodSync(opened, 0o666);
  } finally {
    disk.closeSync(opened);
  }
  return mountOf(container.terminationMessagePath, file);
}

/** Where it lies: another one for each attempt. */
export function terminationLog(podDir: string, pod: Pod, container: string, attempt: number): string {
  const id = createHash("sha256").update(`${pod.metadata.uid}/${container}/${attempt}`).digest("hex").slice(0, 8);
  return path.join(podDir, "containers", pathSegment(container), id);
}

function mountOf(containerPath: string, hostPath: string): Mount {
  return { containerPath, hostPath, readonly: false, selinuxRelabel: false, propagation: "PRIVATE" };
}
