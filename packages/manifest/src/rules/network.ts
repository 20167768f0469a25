import { isIP } from "node:net";
import type { PodSpec } from "kubernetes-types/core/v1.js";
import { dns1123Subdomain, dnsSearchDomain } from "../names.js";
import { ipFault } from "./ports.js";
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
