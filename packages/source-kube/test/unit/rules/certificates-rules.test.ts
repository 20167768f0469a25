/** Rules of certificates, without any. */
import { expect, test } from "@jest/globals";
import fc from "fast-check";
import { isOver, rotateAt } from "../../../src/certificates/pair.js";
import {
  answerOf,
  asksFor,
  clientCertificate,
  plainIp,
  servingCertificate,
  signingRequest,
} from "../../../src/certificates/wanted.js";

test("a certificate is renewed after 70 to 90 % of its life, for any random number", () => {
  fc.assert(
    fc.property(
      fc.nat(),
      fc.integer({ min: 1, max: 1e12 }),
      fc.double({ min: 0, max: 0.999, noNaN: true }),
      (from, life, random) => {
        const at = rotateAt({ notBefore: from, notAfter: from + life }, random);
        expect(at - from).toBeGreaterThanOrEqual(life * 0.7 - 1);
        expect(at - from).toBeLessThanOrEqual(life * 0.9 + 1);
      },
    ),
  );
  expect(isOver({ notBefore: 0, notAfter: 10 }, 9)).toBe(false);
  expect(isOver({ notBefore: 0, notAfter: 10 }, 10)).toBe(true);
});

test.each([
  { name: "is not reviewed", status: undefined, expected: { kind: "pending" } },
  {
    name: "is approved and not signed yet",
    status: { conditions: [{ type: "Approved" }] },
    expected: { kind: "pending" },
  },
  { name: "is signed and not approved", status: { certificate: "eA==" }, expected: { kind: "pending" } },
  {
    name: "is signed and reviewed without approval",
    status: { conditions: [{ type: "Seen" }], certificate: "eA==" },
    expected: { kind: "pending" },
  },
  {
    name: "is approved, with an empty certificate",
    status: { conditions: [{ type: "Approved" }], certificate: "" },
    expected: { kind: "pending" },
  },
  {
    name: "is signed and approved among other things",
    status: { conditions: [{ type: "Seen" }, { type: "Approved" }], certificate: "eA==" },
    expected: { kind: "signed", certificate: "x" },
  },
  {
    name: "is denied without a word",
    status: { conditions: [{ type: "Denied" }] },
    expected: { kind: "refused", why: "denied, reason: , message: " },
  },
  {
    name: "is signed",
    status: { conditions: [{ type: "Approved" }], certificate: "eA==" },
    expected: { kind: "signed", certificate: "x" },
  },
  {
    name: "is denied",
    status: { conditions: [{ type: "Denied", reason: "R", message: "m" }] },
    expected: { kind: "refused", why: "denied, reason: R, message: m" },
  },
  {
    name: "could not be signed",
    status: { conditions: [{ type: "Approved" }, { type: "Failed", reason: "R", message: "m" }] },
    expected: { kind: "refused", why: "failed, reason: R, message: m" },
  },
])("a request that $name: $expected.kind", ({ status, expected }) => {
  expect(answerOf(status === undefined ? {} : { status })).toEqual(expected);
});

test("a node without an address asks for no serving certificate; one with several for all, each once", () => {
  expect(servingCertificate("n", [])).toBeUndefined();
  const addresses = [
    { type: "InternalIP", address: "fd00:0:0:0:0:0:0:1" },
    { type: "Hostname", address: "n" },
    { type: "InternalDNS", address: "n" },
    { type: "InternalIP", address: "10.0.0.1" },
  ];
  expect(servingCertificate("n", addresses)).toMatchObject({
    commonName: "system:node:n",
    organization: "system:nodes",
    dnsNames: ["n"],
    ipAddresses: ["10.0.0.1", "fd00::1"],
  });
});

test("the client's certificate names the node and nothing else, and is for clients", () => {
  expect(clientCertificate("n")).toEqual({
    signerName: "kubernetes.io/kube-apiserver-client-kubelet",
    commonName: "system:node:n",
    organization: "system:nodes",
    dnsNames: [],
    ipAddresses: [],
    usages: ["digital signature", "client auth"],
  });
});

test("the server's certificate has names and addresses of every kind, each in order, and is for servers", () => {
  const addresses = [
    { type: "ExternalIP", address: "192.0.2.9" },
    { type: "InternalIP", address: "10.0.0.1" },
    { type: "ExternalDNS", address: "z.example.com" },
    { type: "InternalDNS", address: "b.internal" },
    { type: "Hostname", address: "a" },
    { type: "Other", address: "nobody" },
  ];
  expect(servingCertificate("n", addresses)).toEqual({
    signerName: "kubernetes.io/kubelet-serving",
    commonName: "system:node:n",
    organization: "system:nodes",
    dnsNames: ["a", "b.internal", "z.example.com"],
    ipAddresses: ["10.0.0.1", "192.0.2.9"],
    usages: ["digital signature", "server auth"],
  });
});

test.each([
  { host: "10.0.0.1", is: "an address" },
  { host: "fd00::1", is: "an address" },
  { host: "255.255.255.255", is: "an address" },
  { host: "10.0.0.1.example.com", is: "a name" },
  { host: "a10.0.0.1", is: "a name" },
  { host: "10.0.1", is: "a name" },
  { host: "n", is: "a name" },
])("the host name $host is $is", ({ host, is }) => {
  const { dnsNames, ipAddresses } = servingCertificate("n", [{ type: "Hostname", address: host }]) ?? {};
  expect({ dnsNames, ipAddresses }).toEqual(
    is === "a name" ? { dnsNames: [host], ipAddresses: [] } : { dnsNames: [], ipAddresses: [host] },
  );
});

test("a request has subject, signer and usages", () => {
  const wanted = clientCertificate("n");
  expect(signingRequest("csr-1", wanted, "PEM")).toEqual({
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name: "csr-1" },
    spec: {
      request: Buffer.from("PEM").toString("base64"),
      signerName: wanted.signerName,
      usages: wanted.usages,
    },
  });
});

test("one address has one text", () => {
  expect(["FD00:0:0:0:0:0:0:1", "fd00::1", "10.0.0.1"].map(plainIp)).toEqual(["fd00::1", "fd00::1", "10.0.0.1"]);
});

test("a request of the same name that asks for something else belongs to others", () => {
  const wanted = clientCertificate("n");
  const { signerName, usages } = wanted;
  expect(asksFor({ spec: { signerName, usages: [...usages].reverse() } }, wanted)).toBe(true);
  expect(asksFor({ spec: { signerName, usages: ["client auth"] } }, wanted)).toBe(false);
  expect(asksFor({ spec: { signerName: "example.com/x", usages } }, wanted)).toBe(false);
  expect(asksFor({ spec: { signerName } }, wanted)).toBe(false);
  expect(asksFor({}, wanted)).toBe(false);
});
