/** The managed /etc/hosts of a pod, byte for byte as the kubelet writes it. Pure. */
import type { Pod } from "@hooklet/manifest";
import { podDomain, podHostname } from "./hostname.js";

const HEADER = "# Kubernetes-managed hosts file.\n";
const HOST_NETWORK_HEADER = "# Kubernetes-managed hosts file (host network).\n";

const LOOPBACK = [
  "127.0.0.1\tlocalhost",
  "::1\tlocalhost ip6-localhost ip6-loopback",
  "fe00::0\tip6-localnet",
  "fe00::0\tip6-mcastprefix",
  "fe00::1\tip6-allnodes",
  "fe00::2\tip6-allrouters",
];

/** `nodeHosts`: the node's own file, used on the host network. */
export function hostsFile(pod: Pod, clusterDomain: string, ips: readonly string[], nodeHosts: string): string {
  if (pod.spec.hostNetwork === true) return HOST_NETWORK_HEADER + nodeHosts + aliases(pod);
  const [hostname, domain] = [podHostname(pod), podDomain(pod, clusterDomain)];
  const names = domain === "" ? hostname : `${hostname}.${domain}\t${hostname}`;
  const own = ips.map((ip) => `${ip}\t${names}`);
  return HEADER + [...LOOPBACK, ...own].map((line) => `${line}\n`).join("") + aliases(pod);
}

function aliases(pod: Pod): string {
  const lines = (pod.spec.hostAliases ?? []).map(({ ip, hostnames }) => `${ip}\t${(hostnames ?? []).join("\t")}\n`);
  return lines.length === 0 ? "" : `\n# Entries added by HostAliases.\n${lines.join("")}`;
}
