import type { Pod, Resources } from "@hooklet/manifest";

/** The node as pods see it. */
export interface PodNode {
  readonly name: string;
  readonly ip: string;
  readonly clusterDNS: readonly string[];
  readonly clusterDomain: string;
  /** A pod wants the cluster's DNS, and none is configured. */
  missingClusterDNS(pod: Pod, warning: string): void;
  allocatable(): Resources;
  /** Text of the node's resolv.conf; "" when it cannot be read. */
  resolvConf(): Promise<string>;
  /** Text of the node's /etc/hosts; "" when it cannot be read. */
  hosts(): Promise<string>;
}
