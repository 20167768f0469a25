/** DNS of a pod by its policy (the kubelet's dns.Configurer). Pure. */

import type { SandboxConfig } from "@hooklet/cri-api";
import { type Pod, podText } from "@hooklet/manifest";

export interface DnsFacts {
  readonly clusterDNS: readonly string[];
  readonly clusterDomain: string;
  /** Text of the node's resolv.conf. */
  readonly resolvConf: string;
}

export interface PodDns {
  readonly dns: NonNullable<SandboxConfig["dns"]>;
  /** Text of a Warning event `MissingClusterDNS`. */
  readonly warning?: string;
}

export function podDns(pod: Pod, facts: DnsFacts): PodDns {
  const policy = pod.spec.dnsPolicy ?? "ClusterFirst";
  const host = parseResolvConf(facts.resolvConf);
  const wantsCluster =
    policy === "ClusterFirstWithHostNet" || (policy === "ClusterFirst" && pod.spec.hostNetwork !== true);
  if (policy === "None") return { dns: merged({ servers: [], searches: [], options: [] }, pod) };
  if (!wantsCluster) return { dns: merged(host, pod) };
  if (facts.clusterDNS.length === 0) {
    const warning =
      `pod: ${JSON.stringify(podText(pod))}. kubelet does not have ClusterDNS IP configured and cannot create Pod using ` +
      `"${policy}" policy. Falling back to "Default" policy.`;
    return { dns: merged(host, pod), warning };
  }
  const domain = facts.clusterDomain;
  const cluster = domain === "" ? [] : [`${pod.metadata.namespace}.svc.${domain}`, `svc.${domain}`, domain];
  const searches = [...new Set([...cluster, ...host.searches])];
  return { dns: merged({ servers: facts.clusterDNS, searches, options: ["ndots:5"] }, pod) };
}

type Dns = NonNullable<SandboxConfig["dns"]>;

function merged(base: Dns, pod: Pod): Dns {
  const config = pod.spec.dnsConfig;
  if (config === undefined) return base;
  const options = new Map(base.options.map((option) => [option.split(":")[0] ?? option, option]));
  for (const { name, value } of config.options ?? []) {
    if (name !== undefined) options.set(name, value === undefined ? name : `${name}:${value}`);
  }
  return {
    servers: [...new Set([...base.servers, ...(config.nameservers ?? [])])],
    searches: [...new Set([...base.searches, ...(config.searches ?? [])])],
    options: [...options.values()],
  };
}

function parseResolvConf(text: string): Dns {
  const servers: string[] = [];
  let searches: string[] = [];
  let options: string[] = [];
  for (const line of text.split("\n")) {
    const [keyword, ...rest] = line.trim().split(/\s+/);
    if (keyword === "nameserver" && rest[0] !== undefined) servers.push(rest[0]);
    else if (keyword === "search")
      searches = rest.map((domain) => (domain === "." ? domain : domain.replace(/\.$/, "")));
    else if (keyword === "options") options = [...options, ...rest];
  }
  return { servers, searches, options };
}
