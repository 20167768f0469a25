import { expect, test } from "@jest/globals";
import { podDomain, podHostname, podKernelName } from "../../../src/pod/spec/hostname.js";
import { hostsFile } from "../../../src/pod/spec/hosts-file.js";
import { aPod } from "../pods.js";

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
