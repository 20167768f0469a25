/** What a pod is called in its own eyes (kubelet GeneratePodHostNameAndDomain and GetNodenameForKernel). Pure. */

import type { Pod } from "@hooklet/manifest";

/** The kernel's __NEW_UTS_LEN. */
const MAX_KERNEL_NAME = 64;

/** hostnameOverride replaces all other names: it may be a whole one, with dots. */
function hostnameOverride({ spec }: Pod): string | undefined {
  // The installed Kubernetes types are older than this field.
  return (spec as { readonly hostnameOverride?: string | null }).hostnameOverride ?? undefined;
}

/** Label of at most 63 characters: what the kubelet gives as the pod's hostname. */
export function podHostname(pod: Pod): string {
  const override = hostnameOverride(pod);
  if (override !== undefined) return override;
  const name = pod.spec.hostname ?? pod.metadata.name;
  return name.slice(0, 63).replace(/[-.]+$/, "");
}

/** The domain of `subdomain`: SUBDOMAIN.NAMESPACE.svc.CLUSTERDOMAIN; empty without one. */
export function podDomain(pod: Pod, clusterDomain: string): string {
  const { spec, metadata } = pod;
  if (hostnameOverride(pod) !== undefined) return "";
  return spec.subdomain ? `${spec.subdomain}.${metadata.namespace}.svc.${clusterDomain}` : "";
}

/**
 * The kernel's hostname: with `setHostnameAsFQDN` the fully qualified one.
 * @throws Error with the kubelet's message when it is too long for the kernel
 */
export function podKernelName(pod: Pod, clusterDomain: string): string {
  const [hostname, domain] = [podHostname(pod), podDomain(pod, clusterDomain)];
  if (pod.spec.setHostnameAsFQDN !== true || domain === "") return hostname;
  const whole = `${hostname}.${domain}`;
  if (whole.length > MAX_KERNEL_NAME) {
    throw new Error(
      `failed to construct FQDN from pod hostname and cluster domain, FQDN ${whole} is too long ` +
        `(${MAX_KERNEL_NAME} characters is the max, ${whole.length} characters requested)`,
    );
  }
  return whole;
}

// The managed /etc/hosts of a pod, byte for byte as the kubelet writes it.

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
