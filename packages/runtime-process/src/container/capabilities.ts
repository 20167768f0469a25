/** Capabilities as setpriv(1) takes them. Pure. */
import { type ContainerSecurityContext, RuntimeError } from "@hooklet/core/host";

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

/**
 * The bounding set, or undefined for "all of them" (privileged). `keep`: what the set-up itself still needs after this point
 * (chroot, setuid): they stay in the set.
 */
export function boundingSet(security: ContainerSecurityContext, keep: readonly string[]): string | undefined {
  if (security.privileged) return undefined;
  const add = security.capabilities.add.map(plainName);
  const drop = security.capabilities.drop.map(plainName);
  if (add.includes("all") && drop.length === 0) return undefined;
  const all = add.includes("all");
  if (all) return ["+all", ...drop.filter((name) => !keep.includes(name)).map((name) => `-${name}`)].join(",");
  const base = drop.includes("all") ? [] : DEFAULT.filter((name) => !drop.includes(name));
  return ["-all", ...new Set([...base, ...add, ...keep].map((name) => `+${name}`))].join(",");
}

function plainName(name: string): string {
  const plain = name.toLowerCase().replace(/^cap_/, "");
  if (/^[a-z][a-z_]*$/.test(plain)) return plain;
  throw new RuntimeError(
    "invalid-argument",
    `capabilities: expected names like NET_ADMIN, found ${JSON.stringify(name)}`,
  );
}
