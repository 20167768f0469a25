/** Refuses by name what this runtime, or this machine, cannot do. Nothing is ignored that a pod relies on. */

import type { Mount } from "@hooklet/core";
import { Annotations, type ContainerConfig, RuntimeError } from "@hooklet/core/host";
import type { Isolation } from "../container-record.js";
import type { FoundImage } from "../image/store.js";

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

/** Without a mount namespace only the machine's own root is there, and nothing can be mounted in it. */
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
