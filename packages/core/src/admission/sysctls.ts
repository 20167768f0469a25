/** Which sysctls pods may set (pkg/kubelet/sysctl): those that no other pod feels, and those that the node allows. Pure. */
import type { Pod } from "@hooklet/manifest";
import type { Rejection } from "../hooks/verdict.js";

/** Namespaced, and harmless to others. */
const safe: ReadonlySet<string> = new Set([
  "kernel.shm_rmid_forced",
  "net.ipv4.ip_local_port_range",
  "net.ipv4.tcp_syncookies",
  "net.ipv4.ping_group_range",
  "net.ipv4.ip_unprivileged_port_start",
  "net.ipv4.ip_local_reserved_ports",
  "net.ipv4.tcp_keepalive_time",
  "net.ipv4.tcp_fin_timeout",
  "net.ipv4.tcp_keepalive_intvl",
  "net.ipv4.tcp_keepalive_probes",
  "net.ipv4.tcp_rmem",
  "net.ipv4.tcp_wmem",
]);

type Namespace = "net" | "ipc";

/** `allowed`: names of further ones, or beginnings that end in `*`. */
export function forbiddenSysctl(pod: Pod, allowed: readonly string[]): Rejection | undefined {
  const { securityContext, hostNetwork, hostIPC } = pod.spec;
  for (const { name = "" } of securityContext?.sysctls ?? []) {
    const dotted = normalized(name);
    const shared = { net: hostNetwork === true, ipc: hostIPC === true };
    const of = namespaceOf(dotted);
    const known = safe.has(dotted) || allowed.some((pattern) => matches(normalized(pattern), dotted));
    if (!known || of === undefined) return rejection(`"${dotted}" not allowlisted`);
    if (shared[of]) return rejection(`"${dotted}" not allowed with host ${of} enabled`);
  }
  return undefined;
}

/** Slashes separate as dots do; where both are used the first one says which. */
function normalized(name: string): string {
  const [first] = /[./]/.exec(name) ?? [];
  if (first !== "/") return name;
  return [...name].map((letter) => (letter === "/" ? "." : letter === "." ? "/" : letter)).join("");
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : pattern === name;
}

function namespaceOf(name: string): Namespace | undefined {
  if (name.startsWith("net.")) return "net";
  return /^(kernel\.(shm|msg|sem)|fs\.mqueue\.)/.test(name) ? "ipc" : undefined;
}

function rejection(why: string): Rejection {
  return { reason: "SysctlForbidden", message: `forbidden sysctl: ${why}` };
}
