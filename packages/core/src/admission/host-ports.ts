/** Ports of the machine that pods hold (Kubernetes scheduler HostPortInfo). Pure. */

import { initContainers, isSidecar, mainContainers, type Pod } from "@hooklet/manifest";
import type { ContainerPort } from "kubernetes-types/core/v1.js";

const ANY_ADDRESS = "0.0.0.0";

interface HostPort {
  readonly address: string;
  /** `TCP/80`. */
  readonly port: string;
}

/** The host ports of main containers and sidecars; a defaulted hostNetwork pod has them set to its container ports. */
export function hostPorts(pod: Pod): readonly HostPort[] {
  const ports: HostPort[] = [];
  const collect = (declared: readonly ContainerPort[] | undefined): void => {
    for (const { hostPort, hostIP, protocol } of declared ?? []) {
      if (hostPort === undefined || hostPort <= 0) continue;
      ports.push({ address: hostIP || ANY_ADDRESS, port: `${protocol || "TCP"}/${hostPort}` });
    }
  };
  for (const container of mainContainers(pod)) collect(container.ports);
  for (const container of initContainers(pod)) if (isSidecar(container)) collect(container.ports);
  return ports;
}

/** The ports in use; a port may be held more than once (agents restart, rules change) and is free after its last holder. */
export class UsedPorts {
  readonly #holders = new Map<string, Map<string, number>>();

  add(ports: readonly HostPort[]): void {
    for (const { address, port } of ports) {
      const addresses = this.#holders.get(port) ?? new Map<string, number>();
      addresses.set(address, (addresses.get(address) ?? 0) + 1);
      this.#holders.set(port, addresses);
    }
  }

  remove(ports: readonly HostPort[]): void {
    for (const { address, port } of ports) {
      const addresses = this.#holders.get(port);
      const count = addresses?.get(address);
      if (!addresses || count === undefined) continue;
      if (count > 1) addresses.set(address, count - 1);
      else addresses.delete(address);
      if (addresses.size === 0) this.#holders.delete(port);
    }
  }

  /** 0.0.0.0 collides with every address. */
  conflict(ports: readonly HostPort[]): boolean {
    return ports.some(({ address, port }) => {
      const addresses = this.#holders.get(port);
      if (!addresses) return false;
      return address === ANY_ADDRESS || addresses.has(address) || addresses.has(ANY_ADDRESS);
    });
  }
}
