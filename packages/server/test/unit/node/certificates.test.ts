/** Which certificate the kubelet's server shows, and for how long it keeps its own. */
import { X509Certificate } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { credentials } from "../../../src/node/certificates.js";
import { NOW } from "../../samples.js";

const DAY = 24 * 3_600_000;

let rootDir: string;

beforeEach(() => {
  rootDir = mkdtempSync(path.join(tmpdir(), "hooklet-pki-"));
});

afterEach(() => rmSync(rootDir, { recursive: true }));

function input(change: { tlsCertFile?: string; tlsPrivateKeyFile?: string; clientCAFile?: string } = {}, now = NOW) {
  const { clientCAFile, ...files } = change;
  const x509 = clientCAFile === undefined ? {} : { clientCAFile };
  const config = { ...files, authentication: { x509 } } as Parameters<typeof credentials>[0]["config"];
  return { config, rootDir, nodeName: "node1", nodeIp: "10.0.0.1", clock: { now: () => now } };
}

function file(name: string, text: string): string {
  const made = path.join(rootDir, name);
  writeFileSync(made, text);
  return made;
}

test("one of its own is for the node's name and address, to serve alone, for a year from a day ago", async () => {
  const made = new X509Certificate((await credentials(input())).cert);
  expect([made.subject, made.subjectAltName, made.keyUsage, made.ca]).toEqual([
    `CN=node1@${NOW / 1000}`,
    "DNS:node1, IP Address:10.0.0.1",
    ["1.3.6.1.5.5.7.3.1"],
    false,
  ]);
  // Digital signature and key encipherment: the two highest bits.
  expect(made.raw.toString("hex")).toContain("0603551d0f0404030205a0");
  expect([Date.parse(made.validFrom) - NOW, Date.parse(made.validTo) - NOW]).toEqual([-DAY, 365 * DAY]);
});

test("without an address it has the name alone", async () => {
  const { nodeIp: _, ...rest } = input();
  expect(new X509Certificate((await credentials(rest)).cert).subjectAltName).toBe("DNS:node1");
});

test("its own is kept in pki until a fifth of its life is left; the key is for its owner alone", async () => {
  const first = await credentials(input());
  const [cert, key] = ["kubelet.crt", "kubelet.key"].map((name) => path.join(rootDir, "pki", name)) as [string, string];
  expect([readFileSync(cert, "utf8"), readFileSync(key, "utf8")]).toEqual([first.cert, first.key]);
  expect([cert, key, path.dirname(key)].map((one) => statSync(one).mode & 0o777)).toEqual([0o644, 0o600, 0o700]);
  const end = NOW + 365 * DAY - (366 * DAY) / 5;
  expect((await credentials(input({}, end - 1))).cert).toBe(first.cert);
  expect((await credentials(input({}, end))).cert).not.toBe(first.cert);
});

test("one that is not valid yet, or is none, is made again", async () => {
  const first = await credentials(input());
  const before = await credentials(input({}, NOW - DAY - 1));
  expect(before.cert).not.toBe(first.cert);
  file("pki/kubelet.crt", "no certificate");
  expect((await credentials(input())).cert).toMatch(/^-----BEGIN CERTIFICATE-----/);
});

test("one that a plugin has signed goes before its own, files that are named go before both", async () => {
  const signed = { current: () => ({ cert: "signed", key: "signed key" }) } as Parameters<typeof credentials>[1];
  expect(await credentials(input(), signed)).toEqual({ cert: "signed", key: "signed key" });
  const named = { tlsCertFile: file("a.crt", "named"), tlsPrivateKeyFile: file("a.key", "named key") };
  expect(await credentials(input(named), signed)).toEqual({ cert: "named", key: "named key" });
  const none = { current: () => undefined } as Parameters<typeof credentials>[1];
  expect((await credentials(input(), none)).cert).toMatch(/^-----BEGIN CERTIFICATE-----/);
});

test("authorities of clients go with each of them", async () => {
  const clientCAFile = file("ca.crt", "ca");
  const signed = { current: () => ({ cert: "signed", key: "key" }) } as Parameters<typeof credentials>[1];
  expect(await credentials(input({ clientCAFile }), signed)).toEqual({ cert: "signed", key: "key", ca: "ca" });
  const named = { tlsCertFile: file("a.crt", "c"), tlsPrivateKeyFile: file("a.key", "k"), clientCAFile };
  expect(await credentials(input(named))).toEqual({ cert: "c", key: "k", ca: "ca" });
});

test.each([
  ["server.tlsCertFile", { tlsCertFile: "/none/a.crt", tlsPrivateKeyFile: "/none/a.key" }],
  ["server.authentication.x509.clientCAFile", { clientCAFile: "/none/a.crt" }],
])("%s that cannot be read is named, with its file", async (option, files) => {
  await expect(credentials(input(files))).rejects.toMatchObject({
    code: "INVALID",
    message: expect.stringMatching(`^${option}: cannot read /none/a\\.crt: .`),
  });
});

test("a key that cannot be read is named, with its file", async () => {
  const files = { tlsCertFile: file("a.crt", "c"), tlsPrivateKeyFile: "/none/a.key" };
  await expect(credentials(input(files))).rejects.toThrow("server.tlsPrivateKeyFile: cannot read /none/a.key: ");
});
