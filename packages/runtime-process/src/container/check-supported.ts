/** What of a container's configuration this runtime refuses, takes without doing it, or lets reach the machine's own files. Pure. */
import type { Mount } from "@hooklet/core";
import { Annotations, type AskedRoot, type ContainerConfig, RuntimeError } from "@hooklet/core/host";
import type { Isolation } from "../container-record.js";
import type { FoundImage } from "../image/store.js";
import { checkCapabilities } from "./capabilities.js";

/** Returns the mounts that will be made. Throws `unimplemented`, `failed-precondition` or `invalid-argument`. */
export function checkSupported(isolation: Isolation, config: ContainerConfig, image: FoundImage): readonly Mount[] {
  const { securityContext: security } = config.linux;
  if (config.tty) throw unimplemented("tty: containers have no terminal");
  const [cdi] = config.cdiDevices;
  if (cdi !== undefined) throw unimplemented(`CDI devices (${cdi})`);
  if (security.namespaces.pid === "TARGET") throw unimplemented("a shared process namespace with one target container");
  for (const [name, profile] of [
    ["seccompProfile", security.seccomp],
    ["appArmorProfile", security.apparmor],
  ] as const) {
    if (profile?.profileType === "Localhost")
      throw unimplemented(`${name} of type Localhost (${profile.localhostRef})`);
  }
  checkCapabilities(security);
  for (const mount of config.mounts) checkMount(mount);
  return isolation.mode === "none" ? withoutNamespaces(isolation, config, image) : config.mounts;
}

function checkMount({ containerPath, hostPath, propagation }: Mount): void {
  if (propagation === "BIDIRECTIONAL") {
    throw unimplemented(`mountPropagation Bidirectional (${containerPath})`);
  }
  for (const path of [containerPath, hostPath]) {
    if (!path.startsWith("/") || path.includes("\0")) {
      throw new RuntimeError("invalid-argument", `mounts: expected absolute paths, found ${JSON.stringify(path)}`);
    }
  }
}

/** Without a mount namespace only the machine's own root exists, and nothing can be mounted in it. */
function withoutNamespaces(isolation: Isolation, config: ContainerConfig, image: FoundImage): readonly Mount[] {
  const cannot = (what: string): RuntimeError =>
    new RuntimeError(
      "failed-precondition",
      `${what} needs a mount namespace, which this machine refuses: ${isolation.why}`,
    );
  if (image.rootfs !== undefined) throw cannot(`image ${config.image.userSpecifiedImage || image.id}`);
  if (config.linux.securityContext.readonlyRootfs) throw cannot("readOnlyRootFilesystem");
  for (const { containerPath, hostPath } of config.devices) {
    if (containerPath !== hostPath) throw cannot(`device ${containerPath}`);
  }
  // A pod works without these two: the kubelet adds them to every container.
  const dispensable = ["/etc/hosts", config.annotations[Annotations.terminationMessagePath] ?? "/dev/termination-log"];
  const needed = config.mounts.find(({ containerPath }) => !dispensable.includes(containerPath));
  if (needed !== undefined) throw cannot(`the volume mount ${needed.containerPath}`);
  return [];
}

function unimplemented(what: string): RuntimeError {
  return new RuntimeError(
    "unimplemented",
    `the process runtime does not support ${what}; leave it out or use another runtime`,
  );
}

/** What the pod asks for and does not get. Limits without cgroups are not listed: the node's isolation table has them. */
export function unenforced({ linux }: Pick<ContainerConfig, "linux">): readonly string[] {
  const { securityContext } = linux;
  const found: string[] = [];
  if (securityContext.seccomp.profileType === "RuntimeDefault") {
    found.push("seccompProfile RuntimeDefault is not applied: the process runtime has no filter of system calls");
  }
  if (securityContext.apparmor?.profileType === "RuntimeDefault") {
    found.push("appArmorProfile RuntimeDefault is not applied: the process runtime has no AppArmor profile");
  }
  return found;
}

const INSTEAD = "(root leaves a chroot: set runAsUser to another one, or use runtime cri)";

/** @param uid of the container's user, resolved in the image */
export function reachesNodeFiles(
  { noNewPrivs, ownProcesses }: Pick<AskedRoot, "noNewPrivs" | "ownProcesses">,
  { mode, processesApart }: Pick<Isolation, "mode" | "processesApart">,
  image: Pick<FoundImage, "rootfs">,
  uid: number,
): string | undefined {
  if (image.rootfs === undefined) return "image host (the machine's own files)";
  if (mode === "none") return "any image (here each shows the machine's own files)";
  // Of such a namespace the one user is its root.
  if (mode === "user" || uid === 0) return `user 0 ${INSTEAD}`;
  if (!noNewPrivs) return "programs that become root (root leaves a chroot: set allowPrivilegeEscalation: false)";
  // A container that shares the processes of its pod sees the machine's as well.
  if (!ownProcesses)
    return "shareProcessNamespace or hostPID (/proc/PID/root shows the files of the machine's processes)";
  return processesApart ? undefined : "the machine's processes (/proc/PID/root shows their files; use runtime cri)";
}
