import { isIP } from "node:net";
import type { Container, ContainerPort } from "kubernetes-types/core/v1.js";
import type { FieldFaults } from "../field-faults.js";
import { portName, portNumber } from "../names.js";
import type { FieldPath } from "../path.js";
import { oneOf, type Rule } from "./rule.js";

export const portsRule: Rule<readonly ContainerPort[]> = (ports, path, faults) => {
  const names = new Set<string>();
  ports.forEach((port, i) => {
    const at = path.index(i);
    const { name = "", containerPort = 0, hostPort = 0, hostIP = "" } = port;
    if (name !== "") {
      const problems = portName(name);
      faults.each(at.child("name"), name, problems);
      if (problems.length === 0 && names.has(name)) faults.duplicate(at.child("name"), name);
      names.add(name);
    }
    if (containerPort === 0) faults.required(at.child("containerPort"));
    else faults.each(at.child("containerPort"), containerPort, portNumber(containerPort));
    if (hostPort !== 0) faults.each(at.child("hostPort"), hostPort, portNumber(hostPort));
    if (hostIP !== "" && isIP(hostIP) === 0) ipFault(at.child("hostIP"), hostIP, faults);
    oneOf(port.protocol ?? "", ["SCTP", "TCP", "UDP"], at.child("protocol"), faults);
  });
};

export function ipFault(path: FieldPath, value: string, faults: FieldFaults): void {
  faults.invalid(path, value, "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
}

/** No two containers that run at the same time may have the same port of the node. */
export const hostPortsRule: Rule<readonly Container[]> = (containers, path, faults) => {
  const taken = new Set<string>();
  containers.forEach((container, c) => {
    container.ports?.forEach((port, i) => {
      if (!port.hostPort) return;
      const key = `${port.protocol}/${port.hostIP ?? ""}/${port.hostPort}`;
      if (taken.has(key)) faults.duplicate(path.index(c).child("ports").index(i).child("hostPort"), key);
      taken.add(key);
    });
  });
};

/** On the host network a container's port is a port of the node. */
export const hostNetworkRule: Rule<readonly Container[]> = (containers, path, faults) => {
  containers.forEach((container, c) => {
    container.ports?.forEach(({ hostPort = 0, containerPort }, i) => {
      if (hostPort === containerPort) return;
      const at = path.index(c).child("ports").index(i).child("hostPort");
      faults.invalid(at, hostPort, "must match `containerPort` when `hostNetwork` is true");
    });
  });
};
