/** An authority, a client that it signed, and one of the same name that it does not know. */
import { KeyObject, webcrypto } from "node:crypto";
import { BasicConstraintsExtension, X509CertificateGenerator } from "@peculiar/x509";

export interface Pair {
  /** PEM. */
  readonly cert: string;
  readonly key: string;
}

const signingAlgorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const CLIENT = "CN=kube-apiserver, O=system:masters";

export async function authorityAndClient(): Promise<{
  readonly ca: string;
  readonly client: Pair;
  readonly stranger: Pair;
}> {
  const [authority, own, other] = [await keysOf(), await keysOf(), await keysOf()];
  const extensions = [new BasicConstraintsExtension(true, undefined, true)];
  const ca = await X509CertificateGenerator.createSelfSigned(
    { name: "CN=ca", keys: authority, signingAlgorithm, extensions },
    webcrypto,
  );
  const { privateKey: signingKey } = authority;
  const client = await X509CertificateGenerator.create(
    { subject: CLIENT, issuer: ca.subject, publicKey: own.publicKey, signingKey, signingAlgorithm },
    webcrypto,
  );
  const stranger = await X509CertificateGenerator.createSelfSigned(
    { name: CLIENT, keys: other, signingAlgorithm },
    webcrypto,
  );
  return {
    ca: ca.toString("pem"),
    client: { cert: client.toString("pem"), key: pemOf(own.privateKey) },
    stranger: { cert: stranger.toString("pem"), key: pemOf(other.privateKey) },
  };
}

function keysOf() {
  return webcrypto.subtle.generateKey(signingAlgorithm, true, ["sign", "verify"]);
}

function pemOf(key: webcrypto.CryptoKey): string {
  return KeyObject.from(key).export({ type: "pkcs8", format: "pem" }) as string;
}
