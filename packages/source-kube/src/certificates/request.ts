/** Requests a certificate from the API server and waits until it is signed. */

import { createHash, createPrivateKey, createPublicKey, KeyObject, webcrypto } from "node:crypto";
import { type Clock, isNodeAgentError, withDeadline } from "@hooklet/core";
import { ApiError, isApiError } from "../client/api-error.js";
import type { KubeClient } from "../client/client.js";
import { ListWatch } from "../client/list-watch.js";
import { paths } from "../client/paths.js";
import type { KubeObject } from "../client/watch-events.js";
import type { Pair } from "./pair.js";
import type { PairStore } from "./pair-store.js";
import { answerOf, asksFor, type SigningRequest, signingRequest, type Wanted } from "./wanted.js";

// A new key, and a request for a certificate of it (PKCS#10). The library is loaded when one is needed: once in months.

/** EC, P-256, in PEM, as the kubelet makes them. */
async function newKey(): Promise<string> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256" };
  const { privateKey } = await webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  return KeyObject.from(privateKey).export({ type: "sec1", format: "pem" }) as string;
}

/** PKCS#10 in PEM. Rejects for what is no EC key. */
async function requestOf(key: string, wanted: Wanted): Promise<string> {
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
function requestName(key: string, { signerName, commonName, organization, usages, ...names }: Wanted): string {
  const open = createPublicKey(key).export({ type: "spki", format: "der" });
  const parts = JSON.stringify([signerName, commonName, organization, usages, names.dnsNames, names.ipAddresses]);
  const digest = createHash("sha256").update(open).update(parts).digest("hex");
  return `node-csr-${digest.slice(0, 43)}`;
}

interface RequestPorts {
  readonly client: Pick<KubeClient, "get" | "create" | "stream" | "pause">;
  readonly clock: Clock;
  readonly random: () => number;
  readonly store: PairStore;
}

/** Milliseconds until an unanswered request is sent again, with the same key and name, so that it is the same one. */
const PATIENCE = 15 * 60_000;

type Request = KubeObject & SigningRequest;

/** The new pair, stored. Rejects where it was denied, and where no answer came. */
export async function requestPair(ports: RequestPorts, wanted: Wanted, signal: AbortSignal): Promise<Pair> {
  const { store } = ports;
  const kept = await store.pendingKey();
  const key = kept ?? (await newKey());
  if (kept === undefined) await store.keepPendingKey(key);
  let text: string;
  let name: string;
  try {
    [text, name] = [await requestOf(key, wanted), requestName(key, wanted)];
  } catch (error) {
    // A leftover that is no key: the next try makes one.
    await store.dropPendingKey();
    throw error;
  }
  const cert = await signed(ports, name, wanted, text, signal);
  const pair = await store.update({ cert, key }).catch(async (error: unknown) => {
    // The signed certificate does not match this key: another request with it would get the same answer.
    if (isNodeAgentError(error, "INVALID")) await store.dropPendingKey();
    throw error;
  });
  await store.dropPendingKey();
  return pair;
}

async function signed(
  ports: RequestPorts,
  name: string,
  wanted: Wanted,
  text: string,
  signal: AbortSignal,
): Promise<string> {
  const { client, clock, store } = ports;
  try {
    await client.create(paths.certificateSigningRequests, signingRequest(name, wanted, text), { signal });
  } catch (error) {
    if (!isApiError(error, 409)) throw error;
    const there = await client.get<Request>(paths.certificateSigningRequest(name), { signal });
    if (!asksFor(there, wanted)) {
      await store.dropPendingKey();
      throw new ApiError(
        409,
        "AlreadyExists",
        `certificate signing request ${name} is there and asks for something else`,
      );
    }
  }
  const given = new AbortController();
  const late = (): Error => {
    const error = new ApiError(504, "Timeout", `certificate signing request ${name} was not signed within 15 min`);
    given.abort(error);
    return error;
  };
  try {
    return await withDeadline(clock, PATIENCE, awaited(ports, name, AbortSignal.any([signal, given.signal])), late);
  } catch (error) {
    // Refused for good, or gone: another request is another one's.
    if (isApiError(error, 403, 404)) await store.dropPendingKey();
    throw error;
  }
}

function awaited({ client, clock, random }: RequestPorts, name: string, signal: AbortSignal): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    /** Before that a list without it is one of a cache that does not have it yet. */
    let seen = false;
    const take = (request: Request | undefined): void => {
      if (request === undefined) {
        finish(new ApiError(404, "NotFound", `certificate signing request ${name} is gone, unanswered`));
        return;
      }
      const answer = answerOf(request);
      if (answer.kind === "signed") finish(answer.certificate);
      else if (answer.kind === "refused") {
        finish(new ApiError(403, "Denied", `certificate signing request ${name} is ${answer.why}`));
      }
    };
    const watch = new ListWatch<Request>({
      client,
      clock,
      random,
      path: paths.certificateSigningRequests,
      query: { fieldSelector: `metadata.name=${name}` },
      sink: {
        replace: ([request]) => {
          seen ||= request !== undefined;
          if (seen) take(request);
        },
        changed: (type, request) => {
          seen = true;
          take(type === "DELETED" ? undefined : request);
        },
        // Tried again by itself; the deadline ends it.
        failed: () => undefined,
      },
    });
    const finish = (end: string | Error): void => {
      signal.removeEventListener("abort", onAbort);
      void watch.stop();
      if (typeof end === "string") resolve(end);
      else reject(end);
    };
    const onAbort = (): void => finish(signal.reason as Error);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    else watch.start();
  });
}
