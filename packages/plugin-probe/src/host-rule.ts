/**
 * The option `hosts: pod`: probes are made by the node's root daemon, so a host of one's own choice is a way around the network.
 * Pure.
 */
import type { Pod } from "@hooklet/core";
import { probeKinds } from "./types.js";
import { probedContainers, probeOf } from "./worker/spec.js";

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/i;

/** The first probe that goes elsewhere than to its own pod, undefined when there is none. Loopback is a host-network pod's own. */
export function foreignHost(pod: Pod): string | undefined {
  for (const container of probedContainers(pod)) {
    for (const kind of probeKinds) {
      const probe = probeOf(container, kind);
      const host = probe?.httpGet?.host ?? probe?.tcpSocket?.host ?? "";
      if (host === "" || (pod.spec.hostNetwork === true && LOOPBACK.test(host))) continue;
      return `${kind}Probe of container ${container.name} goes to host ${JSON.stringify(host)}, but the node allows the pod's own address only`;
    }
  }
  return undefined;
}
