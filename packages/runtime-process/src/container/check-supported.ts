/** What of a container's configuration this runtime refuses, takes without doing it, or lets reach the machine's own files. Pure. */

import type { Mount } from "@hooklet/core";
import {
  Annotations,
  type AskedRoot,
  type ContainerConfig,
  type ContainerSecurityContext,
  RuntimeError,
} from "@hooklet/core/host";
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

// Capabilities as setpriv(1) takes them.

const ALL = "all";

/** What containerd, CRI-O and docker leave to a container. */
const DEFAULT = [
  "audit_write",
  "chown",
  "dac_override",
  "fowner",
  "fsetid",
  "kill",
  "mknod",
  "net_bind_service",
  "net_raw",
  "setfcap",
  "setgid",
  "setpcap",
  "setuid",
  "sys_chroot",
];

/** capabilities(7), as of Linux 6.18. */
const KERNELS: ReadonlySet<string> = new Set([
  ...DEFAULT,
  ...["audit_control", "audit_read", "block_suspend", "bpf", "checkpoint_restore", "dac_read_search", "ipc_lock"],
  ...["ipc_owner", "lease", "linux_immutable", "mac_admin", "mac_override", "net_admin", "net_broadcast", "perfmon"],
  ...["sys_admin", "sys_boot", "sys_module", "sys_nice", "sys_pacct", "sys_ptrace", "sys_rawio", "sys_resource"],
  ...["sys_time", "sys_tty_config", "syslog", "wake_alarm"],
]);

/**
 * The bounding set, or undefined for "all of them" (privileged). As in containerd: all that is added, all that is dropped,
 * then names that are added, then names that are dropped, so that dropping wins. `keep`: capabilities that the set-up itself still
 * needs after this point (chroot, setuid): they stay in the set.
 */
export function boundingSet(security: ContainerSecurityContext, keep: readonly string[]): string | undefined {
  if (security.privileged) return undefined;
  const add = security.capabilities.add.map(plainName);
  const drop = security.capabilities.drop.map(plainName);
  if (add.includes(ALL) && !drop.includes(ALL)) {
    if (drop.length === 0) return undefined;
    return ["+all", ...drop.filter((name) => !keep.includes(name)).map((name) => `-${name}`)].join(",");
  }
  const base = drop.includes(ALL) ? [] : DEFAULT;
  const left = [...base, ...add].filter((name) => name !== ALL && !drop.includes(name));
  return ["-all", ...new Set([...left, ...keep].map((name) => `+${name}`))].join(",");
}

/** Throws `invalid-argument` for a name that is no capability of the kernel. */
function checkCapabilities({ capabilities: { add, drop } }: Pick<ContainerSecurityContext, "capabilities">): void {
  for (const name of [...add, ...drop]) plainName(name);
}

function plainName(name: string): string {
  const plain = name.toLowerCase().replace(/^cap_/, "");
  if (plain === ALL || KERNELS.has(plain)) return plain;
  throw new RuntimeError(
    "invalid-argument",
    `capabilities: expected names like NET_ADMIN, found ${JSON.stringify(name.slice(0, 100))}, which the kernel does not have`,
  );
}
