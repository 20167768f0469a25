import type { Pod } from "@hooklet/manifest";
import { describe, expect, test } from "@jest/globals";
import { type DnsFacts, podDns } from "../../../../src/pod/spec/dns.js";
import { aPod } from "../../../pod/pods.js";

const resolvConf = [
  "# of the node",
  "nameserver 192.0.2.53",
  "  nameserver\t192.0.2.54  ",
  "nameserver",
  "search old.example",
  "search node.example. . plain",
  "options timeout:1",
  "options rotate",
].join("\n");
const facts: DnsFacts = { clusterDNS: ["10.96.0.10"], clusterDomain: "cluster.local", resolvConf };
const node = {
  servers: ["192.0.2.53", "192.0.2.54"],
  searches: ["node.example", ".", "plain"],
  options: ["timeout:1", "rotate"],
};
const cluster = {
  servers: ["10.96.0.10"],
  searches: ["default.svc.cluster.local", "svc.cluster.local", "cluster.local", "node.example", ".", "plain"],
  options: ["ndots:5"],
};
const dns = (spec: Partial<Pod["spec"]>, more: Partial<DnsFacts> = {}) => podDns(aPod(spec), { ...facts, ...more });

describe("DNS of a pod", () => {
  test.each<{ name: string; spec: Partial<Pod["spec"]>; expected: object }>([
    { name: "is the cluster's first", spec: { dnsPolicy: "ClusterFirst" }, expected: cluster },
    { name: "is the cluster's where nothing is said", spec: {}, expected: cluster },
    { name: "is the node's on the host network", spec: { hostNetwork: true }, expected: node },
    {
      name: "is the cluster's on the host network where that is asked for",
      spec: { dnsPolicy: "ClusterFirstWithHostNet", hostNetwork: true },
      expected: cluster,
    },
    { name: "is the node's by Default", spec: { dnsPolicy: "Default" }, expected: node },
    { name: "is empty with None", spec: { dnsPolicy: "None" }, expected: { servers: [], searches: [], options: [] } },
  ])("$name", ({ spec, expected }) => expect(dns(spec)).toEqual({ dns: expected }));

  test("without a cluster's DNS is the node's, with a warning in the kubelet's words", () => {
    expect(dns({}, { clusterDNS: [] })).toEqual({
      dns: node,
      warning:
        'pod: "web-node1_default(0123456789abcdef0123456789abcdef)". kubelet does not have ClusterDNS IP configured and cannot create Pod using "ClusterFirst" policy. Falling back to "Default" policy.',
    });
    expect(dns({ dnsPolicy: "Default" }, { clusterDNS: [] })).not.toHaveProperty("warning");
  });

  test("without a cluster's domain has the node's search list", () => {
    expect(dns({}, { clusterDomain: "" }).dns).toEqual({ ...cluster, searches: node.searches });
  });

  test("a search domain stands once", () => {
    expect(dns({}, { resolvConf: "search cluster.local x" }).dns.searches).toEqual([
      "default.svc.cluster.local",
      "svc.cluster.local",
      "cluster.local",
      "x",
    ]);
  });

  test("dnsConfig adds to it: each once, options by name, the pod's own last word", () => {
    const dnsConfig = {
      nameservers: ["10.96.0.10", "192.0.2.1"],
      searches: ["mine.example", "cluster.local"],
      options: [{ name: "ndots", value: "2" }, { name: "edns0" }, {}],
    };
    expect(dns({ dnsConfig }).dns).toEqual({
      servers: ["10.96.0.10", "192.0.2.1"],
      searches: [...cluster.searches, "mine.example"],
      options: ["ndots:2", "edns0"],
    });
    expect(dns({ dnsPolicy: "None", dnsConfig: { nameservers: ["192.0.2.1"] } }).dns).toEqual({
      servers: ["192.0.2.1"],
      searches: [],
      options: [],
    });
    expect(dns({ dnsPolicy: "Default", dnsConfig: { options: [{ name: "rotate", value: "1" }] } }).dns.options).toEqual(
      ["timeout:1", "rotate:1"],
    );
  });
});
