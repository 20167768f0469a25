/** What lets a container come to the machine's own files past its mounts: its root is a chroot, which whoever is root leaves. Pure. */
import type { Image } from "@hooklet/core";
import type { AskedRoot } from "@hooklet/core/host";
import type { Isolation } from "../container-record.js";
import { HOST_IMAGE } from "../image/reference.js";

const INSTEAD = "(root leaves a chroot: set runAsUser to another one, or use runtime cri)";

/** @param image undefined: not imported yet */
export function reachesNodeFiles(
  { runAsUser, noNewPrivs, ownProcesses }: AskedRoot,
  { mode, processesApart }: Pick<Isolation, "mode" | "processesApart">,
  image: Image | undefined,
): string | undefined {
  if (image === undefined) return undefined;
  if (image.id === HOST_IMAGE) return "image host (the machine's own files)";
  if (mode === "none") return "any image (here each shows the machine's own files)";
  // Of such a namespace the one user is its root.
  if (mode === "user") return `user 0 ${INSTEAD}`;
  if (runAsUser === undefined && image.username !== undefined) {
    return `user ${JSON.stringify(image.username)} (its number is the image's to say: set runAsUser to one that is not 0)`;
  }
  if ((runAsUser ?? image.uid ?? 0) === 0) return `user 0 ${INSTEAD}`;
  if (!noNewPrivs) return "programs that become root (root leaves a chroot: set allowPrivilegeEscalation: false)";
  // Whoever shares the processes of its pod sees the machine's as well.
  if (!ownProcesses)
    return "shareProcessNamespace or hostPID (/proc/PID/root shows the files of the machine's processes)";
  return processesApart ? undefined : "the machine's processes (/proc/PID/root shows their files; use runtime cri)";
}
