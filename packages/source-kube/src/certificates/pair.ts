/** A certificate with its key, as one PEM text has them: the layout of kubelet-client-current.pem. */

import { createPrivateKey, X509Certificate } from "node:crypto";
import { errorText, invalid } from "@hooklet/core";
import { plainIp } from "./wanted.js";

export interface Pair extends Life {
  /** In PEM, with those between it and its authority. */
  readonly cert: string;
  readonly key: string;
  /** Whose it is: `CN=system:node:a`, `O=system:nodes`. */
  readonly subject: readonly string[];
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
}

const CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
const KEY = /-----BEGIN ([A-Z ]*)PRIVATE KEY-----[^-]+-----END \1PRIVATE KEY-----/;

/** `where`: for messages. @throws NodeAgentError INVALID when it is no certificate, or the key does not match */
export function readPair(pem: string, where: string): Pair {
  const cert = (pem.match(CERTIFICATES) ?? []).join("\n");
  const [key = ""] = KEY.exec(pem) ?? [];
  try {
    const leaf = new X509Certificate(cert);
    if (!leaf.checkPrivateKey(createPrivateKey(key))) throw new Error("the key of another certificate");
    const names = (leaf.subjectAltName ?? "").split(", ");
    const of = (kind: string): readonly string[] =>
      names.flatMap((name) => (name.startsWith(`${kind}:`) ? name.slice(kind.length + 1) : [])).sort();
    return {
      cert: `${cert}\n`,
      key: `${key}\n`,
      notBefore: Date.parse(leaf.validFrom),
      notAfter: Date.parse(leaf.validTo),
      subject: leaf.subject.split("\n"),
      dnsNames: of("DNS"),
      ipAddresses: of("IP Address").map(plainIp),
    };
  } catch (error) {
    throw invalid(where, "a certificate and its key in PEM", errorText(error));
  }
}

/** Whether it is of this name: a node that was renamed finds the one of before. */
export function isOf({ subject }: Pair, commonName: string): boolean {
  return subject.includes(`CN=${commonName}`);
}

export function pairText({ cert, key }: Pick<Pair, "cert" | "key">): string {
  return `${cert.trim()}\n${key.trim()}\n`;
}

/** Of the first certificate of the text. @throws Error when there is none */
export function certificateLife(pem: string): Life {
  const { validFrom, validTo } = new X509Certificate(pem);
  return { notBefore: Date.parse(validFrom), notAfter: Date.parse(validTo) };
}

// When a certificate is renewed (client-go's certificate manager).

/** Milliseconds since the epoch. */
interface Life {
  readonly notBefore: number;
  readonly notAfter: number;
}

/** After 70 to 90 % of its life, so that the nodes of a cluster do not come all at once. `random`: from 0 to below 1. */
export function rotateAt({ notBefore, notAfter }: Life, random: number): number {
  return notBefore + (notAfter - notBefore) * (0.7 + 0.2 * random);
}

export function isOver({ notAfter }: Life, now: number): boolean {
  return now >= notAfter;
}
