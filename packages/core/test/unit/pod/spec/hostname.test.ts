import { describe, expect, test } from "@jest/globals";
import { hostsFile, podDomain, podHostname, podKernelName } from "../../../../src/pod/spec/hostname.js";
import { aPod } from "../../../pod/pods.js";

const DOMAIN = "cluster.local";

test.each([
  { name: "the pod's name", spec: {}, hostname: "web-node1", domain: "", kernel: "web-node1" },
  { name: "the hostname of the spec", spec: { hostname: "db" }, hostname: "db", domain: "", kernel: "db" },
  {
    name: "a subdomain leaves the kernel's name short",
    spec: { hostname: "db", subdomain: "data" },
    hostname: "db",
    domain: "data.default.svc.cluster.local",
    kernel: "db",
  },
  {
    name: "setHostnameAsFQDN gives the kernel the whole one",
    spec: { hostname: "db", subdomain: "data", setHostnameAsFQDN: true },
    hostname: "db",
    domain: "data.default.svc.cluster.local",
    kernel: "db.data.default.svc.cluster.local",
  },
  {
    name: "setHostnameAsFQDN without a subdomain changes nothing",
    spec: { hostname: "db", setHostnameAsFQDN: true },
    hostname: "db",
    domain: "",
    kernel: "db",
  },
])("$name", ({ spec, hostname, domain, kernel }) => {
  const pod = aPod(spec);
  expect([podHostname(pod), podDomain(pod, DOMAIN), podKernelName(pod, DOMAIN)]).toEqual([hostname, domain, kernel]);
});

test("a whole name that the kernel does not take is refused in the kubelet's words", () => {
  const pod = aPod({ hostname: "a".repeat(60), subdomain: "data", setHostnameAsFQDN: true });
  expect(() => podKernelName(pod, DOMAIN)).toThrow(
    /^failed to construct FQDN from pod hostname and cluster domain, FQDN a+\.data\.default\.svc\.cluster\.local is too long \(64 characters is the max, 91 characters requested\)$/,
  );
});

test("/etc/hosts has the whole name before the short one", () => {
  const text = hostsFile(aPod({ hostname: "db", subdomain: "data" }), DOMAIN, ["10.0.0.5"], "");
  expect(text.split("\n")).toContain("10.0.0.5\tdb.data.default.svc.cluster.local\tdb");
  expect(hostsFile(aPod({ hostname: "db" }), DOMAIN, ["10.0.0.5"], "")).toContain("10.0.0.5\tdb\n");
});

test.each([
  { name: "one of 63 letters stays whole", hostname: "a".repeat(63), expected: "a".repeat(63) },
  { name: "a longer one is cut", hostname: "a".repeat(64), expected: "a".repeat(63) },
  { name: "dots and dashes at the cut go too", hostname: `${"a".repeat(60)}.-.-b`, expected: "a".repeat(60) },
])("a hostname is a label: $name", ({ hostname, expected }) => {
  expect(podHostname(aPod({}, { name: hostname }))).toBe(expected);
});

test("a name that the pod asks for in place of all others is its whole name, with dots and without a domain", () => {
  const pod = aPod({
    hostname: "db",
    subdomain: "data",
    setHostnameAsFQDN: true,
    hostnameOverride: "db.x.-",
  } as object);
  expect([podHostname(pod), podDomain(pod, DOMAIN), podKernelName(pod, DOMAIN)]).toEqual(["db.x.-", "", "db.x.-"]);
  expect(podHostname(aPod({ hostname: "db", hostnameOverride: null } as object))).toBe("db");
});

test("a whole name of 64 characters is what the kernel just takes", () => {
  const pod = (letters: number) => aPod({ hostname: "a".repeat(letters), subdomain: "data", setHostnameAsFQDN: true });
  expect(podKernelName(pod(33), DOMAIN)).toHaveLength(64);
  expect(() => podKernelName(pod(34), DOMAIN)).toThrow("65 characters requested");
});

describe("/etc/hosts, byte for byte as the kubelet writes it", () => {
  const hostAliases = [{ ip: "192.0.2.9", hostnames: ["a", "b.example"] }, { ip: "192.0.2.10" }];

  test("has loopback, the pod's addresses and its aliases", () => {
    expect(
      hostsFile(aPod({ hostname: "db", hostAliases: hostAliases as never }), DOMAIN, ["10.0.0.5", "fd00::5"], "x"),
    ).toBe(
      "# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n" +
        "fe00::0\tip6-localnet\nfe00::0\tip6-mcastprefix\nfe00::1\tip6-allnodes\nfe00::2\tip6-allrouters\n" +
        "10.0.0.5\tdb\nfd00::5\tdb\n\n# Entries added by HostAliases.\n192.0.2.9\ta\tb.example\n192.0.2.10\t\n",
    );
  });

  test("is the node's own on its network, with the aliases behind", () => {
    const pod = (more: object) => aPod({ hostNetwork: true, ...more });
    const head = "# Kubernetes-managed hosts file (host network).\n127.0.0.1\tlocalhost\n";
    expect(hostsFile(pod({}), DOMAIN, ["10.0.0.5"], "127.0.0.1\tlocalhost\n")).toBe(head);
    expect(hostsFile(pod({ hostAliases: [hostAliases[0]] }), DOMAIN, [], "127.0.0.1\tlocalhost\n")).toBe(
      `${head}\n# Entries added by HostAliases.\n192.0.2.9\ta\tb.example\n`,
    );
  });
});
