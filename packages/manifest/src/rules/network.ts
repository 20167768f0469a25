import { isIP } from "node:net";
import type { Container, ContainerPort, PodSpec } from "kubernetes-types/core/v1.js";
import type { FieldFaults } from "../field-faults.js";
import { dns1123Subdomain, dnsSearchDomain, portName, portNumber } from "../names.js";
import type { FieldPath } from "../path.js";
import { oneOf, type Rule } from "./rule.js";

const DNS_POLICIES = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
const MAX_NAMESERVERS = 3;
const MAX_SEARCHES = 32;
const MAX_SEARCH_CHARACTERS = 2048;

/** dnsPolicy, dnsConfig and hostAliases. */
export const networkRule: Rule<PodSpec> = ({ dnsPolicy = "", dnsConfig, hostAliases = [] }, path, faults) => {
  oneOf(dnsPolicy, DNS_POLICIES, path.child("dnsPolicy"), faults);
  const dns = path.child("dnsConfig");
  const { nameservers = [], searches = [], options = [] } = dnsConfig ?? {};
  if (dnsPolicy === "None" && dnsConfig === undefined) {
    faults.required(dns, "must provide `dnsConfig` when `dnsPolicy` is None");
  } else if (dnsPolicy === "None" && nameservers.length === 0) {
    faults.required(dns.child("nameservers"), "must provide at least one DNS nameserver when `dnsPolicy` is None");
  }
  if (nameservers.length > MAX_NAMESERVERS) {
    faults.invalid(dns.child("nameservers"), nameservers, `must not have more than ${MAX_NAMESERVERS} nameservers`);
  }
  nameservers.forEach((address, i) => {
    if (isIP(address) === 0) ipFault(dns.child("nameservers").index(i), address, faults);
  });
  if (searches.length > MAX_SEARCHES) {
    faults.invalid(dns.child("searches"), searches, `must not have more than ${MAX_SEARCHES} search paths`);
  }
  if (searches.join(" ").length > MAX_SEARCH_CHARACTERS) {
    const text = `must not have more than ${MAX_SEARCH_CHARACTERS} characters (including spaces) in the search list`;
    faults.invalid(dns.child("searches"), searches, text);
  }
  searches.forEach((search, i) => {
    const domain = search.replace(/\.$/, "");
    if (search !== ".") faults.each(dns.child("searches").index(i), domain, dnsSearchDomain(domain));
  });
  options.forEach(({ name }, i) => {
    if (!name) faults.required(dns.child("options").index(i), "must not be empty");
  });
  hostAliases.forEach(({ ip = "", hostnames = [] }, i) => {
    const at = path.child("hostAliases").index(i);
    if (isIP(ip) === 0) ipFault(at.child("ip"), ip, faults);
    hostnames.forEach((name, j) => {
      faults.each(at.child("hostnames").index(j), name, dns1123Subdomain(name));
    });
  });
};

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

function ipFault(path: FieldPath, value: string, faults: FieldFaults): void {
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
