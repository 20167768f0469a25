/** The server's certificate: the files that are given, else what a plugin has signed, else its own, kept in the root directory. */
import { KeyObject, webcrypto, X509Certificate } from "node:crypto";
import { mkdir, readFile } from "node:fs/promises";
import path from "node:path";
import type { NodeServerConfig } from "@hooklet/core/host";
import { type ServingCertificate, whenGone } from "@hooklet/core/subsystem";
import { writeFileAtomic } from "@hooklet/linux";
import { type Clock, errorText, NodeAgentError } from "@hooklet/utils";

export interface Credentials {
  readonly cert: string;
  readonly key: string;
  /** Authorities of client certificates. */
  readonly ca?: string;
}

export interface CertificateInput {
  readonly config: Pick<NodeServerConfig, "tlsCertFile" | "tlsPrivateKeyFile" | "authentication">;
  readonly rootDir: string;
  readonly nodeName: string;
  readonly nodeIp?: string;
  readonly clock: Pick<Clock, "now">;
}

const DAY = 24 * 3600 * 1000;
const LIFE_DAYS = 365;

/** @throws NodeAgentError INVALID naming the option whose file cannot be used */
export async function credentials(input: CertificateInput, signed?: ServingCertificate): Promise<Credentials> {
  const { tlsCertFile, tlsPrivateKeyFile, authentication } = input.config;
  const { clientCAFile } = authentication.x509;
  const ca =
    clientCAFile === undefined ? {} : { ca: await read("server.authentication.x509.clientCAFile", clientCAFile) };
  if (tlsCertFile === undefined || tlsPrivateKeyFile === undefined) {
    const { cert, key } = signed?.current() ?? (await own(input));
    return { cert, key, ...ca };
  }
  return {
    cert: await read("server.tlsCertFile", tlsCertFile),
    key: await read("server.tlsPrivateKeyFile", tlsPrivateKeyFile),
    ...ca,
  };
}

async function read(option: string, file: string): Promise<string> {
  try {
    return await readFile(file, "utf8");
  } catch (cause) {
    throw new NodeAgentError("INVALID", `${option}: cannot read ${file}: ${errorText(cause)}`, { cause });
  }
}

/** Kept until a fifth of its life is left. */
async function own({ rootDir, nodeName, nodeIp, clock }: CertificateInput): Promise<Credentials> {
  const folder = path.join(rootDir, "pki");
  const files = { cert: path.join(folder, "kubelet.crt"), key: path.join(folder, "kubelet.key") };
  const kept = await whenGone(undefined, async () => ({
    cert: await readFile(files.cert, "utf8"),
    key: await readFile(files.key, "utf8"),
  }));
  if (kept !== undefined && isGood(kept.cert, clock.now())) return kept;
  const made = await selfSigned(nodeName, nodeIp, clock.now());
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await writeFileAtomic(files.key, made.key);
  await writeFileAtomic(files.cert, made.cert, { mode: 0o644 });
  return made;
}

/** EC, P-256, for one year. The library is loaded when one is made: once in months. */
async function selfSigned(nodeName: string, nodeIp: string | undefined, now: number): Promise<Credentials> {
  const { ExtendedKeyUsage, ExtendedKeyUsageExtension, KeyUsageFlags, KeyUsagesExtension, ...x509 } = await import(
    "@peculiar/x509"
  );
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const names = [
    { type: "dns" as const, value: nodeName },
    ...(nodeIp === undefined ? [] : [{ type: "ip" as const, value: nodeIp }]),
  ];
  const made = await x509.X509CertificateGenerator.createSelfSigned(
    {
      name: [{ CN: [`${nodeName}@${Math.floor(now / 1000)}`] }],
      notBefore: new Date(now - DAY),
      notAfter: new Date(now + LIFE_DAYS * DAY),
      keys,
      signingAlgorithm: algorithm,
      extensions: [
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature | KeyUsageFlags.keyEncipherment),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new x509.SubjectAlternativeNameExtension(names),
      ],
    },
    webcrypto,
  );
  const key = KeyObject.from(keys.privateKey).export({ type: "pkcs8", format: "pem" }) as string;
  return { cert: `${made.toString("pem")}\n`, key };
}

function isGood(pem: string, now: number): boolean {
  try {
    const { validFrom, validTo } = new X509Certificate(pem);
    const [from, to] = [Date.parse(validFrom), Date.parse(validTo)];
    return from <= now && now < to - (to - from) / 5;
  } catch {
    // Not a certificate: another one is made.
    return false;
  }
}
