/** Capabilities as setpriv(1) takes them. Pure. */
import { type ContainerSecurityContext, RuntimeError } from "@hooklet/core/host";

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
export function checkCapabilities({
  capabilities: { add, drop },
}: Pick<ContainerSecurityContext, "capabilities">): void {
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
