/** Certificates for tests, signed by an authority of their own. */
import { KeyObject, webcrypto } from "node:crypto";
import { Pkcs10CertificateRequest, SubjectAlternativeNameExtension, X509CertificateGenerator } from "@peculiar/x509";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const makeKeys = () => webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
const authority = makeKeys();

export const FROM = Date.UTC(2026, 0, 1);
export const UNTIL = Date.UTC(2027, 0, 1);

type Name = { readonly type: "dns" | "ip"; readonly value: string };

async function signed(subject: string, publicKey: webcrypto.CryptoKey, names: readonly Name[], until = UNTIL) {
  const { privateKey } = await authority;
  const made = await X509CertificateGenerator.create(
    {
      subject,
      issuer: "CN=test-ca",
      notBefore: new Date(FROM),
      notAfter: new Date(until),
      publicKey,
      signingKey: privateKey,
      signingAlgorithm: algorithm,
      extensions: names.length > 0 ? [new SubjectAlternativeNameExtension([...names])] : [],
    },
    webcrypto,
  );
  return `${made.toString("pem")}\n`;
}

/** Certificate and key in PEM, as two texts. */
export async function pairOf(subject = "O=system:nodes, CN=system:node:node1", names: readonly Name[] = []) {
  const { publicKey, privateKey } = await makeKeys();
  const key = KeyObject.from(privateKey).export({ type: "sec1", format: "pem" }) as string;
  return { cert: await signed(subject, publicKey, names), key };
}

/** What a request in PEM is for. */
export async function requested(pem: string) {
  const request = new Pkcs10CertificateRequest(pem);
  if (!(await request.verify(webcrypto))) throw new Error("the request is not signed by its own key");
  const [names] = request.extensions;
  return {
    subject: request.subject,
    names: names instanceof SubjectAlternativeNameExtension ? names.names.toJSON() : [],
  };
}

/** The certificate for a request in PEM. */
export async function answer(pem: string, until = UNTIL): Promise<string> {
  const request = new Pkcs10CertificateRequest(pem);
  return signed(request.subject, await request.publicKey.export(webcrypto), [], until);
}
