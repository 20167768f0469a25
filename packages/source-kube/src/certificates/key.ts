/** A new key, and a request for a certificate of it (PKCS#10). The library is loaded when one is needed: once in months. */
import { createHash, createPrivateKey, createPublicKey, KeyObject, webcrypto } from "node:crypto";
import type { Wanted } from "./wanted.js";

/** EC, P-256, in PEM, as the kubelet makes them. */
export async function newKey(): Promise<string> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const { privateKey } = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  return KeyObject.from(privateKey).export({ type: "sec1", format: "pem" }) as string;
}

/** PKCS#10 in PEM. Rejects for what is no EC key. */
export async function requestOf(key: string, wanted: Wanted): Promise<string> {
  const { Pkcs10CertificateRequestGenerator, SubjectAlternativeNameExtension } = await import("@peculiar/x509");
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const [secret, open] = [createPrivateKey(key), createPublicKey(key)];
  const { subtle } = webcrypto;
  const keys = {
    privateKey: await subtle.importKey("pkcs8", secret.export({ type: "pkcs8", format: "der" }), algorithm, true, [
      "sign",
    ]),
    publicKey: await subtle.importKey("spki", open.export({ type: "spki", format: "der" }), algorithm, true, [
      "verify",
    ]),
  };
  const names = [
    ...wanted.dnsNames.map((value) => ({ type: "dns" as const, value })),
    ...wanted.ipAddresses.map((value) => ({ type: "ip" as const, value })),
  ];
  const request = await Pkcs10CertificateRequestGenerator.create(
    {
      name: [{ O: [wanted.organization] }, { CN: [wanted.commonName] }],
      keys: keys,
      signingAlgorithm: algorithm,
      ...(names.length > 0 && { extensions: [new SubjectAlternativeNameExtension(names)] }),
    },
    webcrypto,
  );
  return request.toString("pem");
}

/** One name per key and request: after a restart the agent finds its earlier request. */
export function requestName(key: string, { signerName, commonName, organization, usages, ...names }: Wanted): string {
  const open = createPublicKey(key).export({ type: "spki", format: "der" });
  const parts = JSON.stringify([signerName, commonName, organization, usages, names.dnsNames, names.ipAddresses]);
  const digest = createHash("sha256").update(open).update(parts).digest("hex");
  return `node-csr-${digest.slice(0, 43)}`;
}
