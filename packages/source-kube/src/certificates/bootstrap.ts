/** The first certificate of a node: requested with a bootstrap token, then written as its kubeconfig. */

import { mkdir, readFile } from "node:fs/promises";
import { dirname } from "node:path";
import { type Clock, sleep } from "@hooklet/core";
import { writeFileAtomic } from "@hooklet/linux";
import { stringify } from "yaml";
import { BackOff, certificateBackOff } from "../client/back-off.js";
import type { KubeClient } from "../client/client.js";
import type { CredentialFiles } from "../client/credentials.js";
import { type Held, type KubeConfig, parseKubeConfig } from "../client/kubeconfig.js";
import { certificateLife, isOver } from "./pair.js";
import type { PairStore } from "./pair-store.js";
import { requestPair } from "./request.js";
import { clientCertificate } from "./wanted.js";

interface BootstrapPorts {
  readonly clock: Clock;
  readonly random: () => number;
  readonly nodeName: string;
  /** Absolute paths. */
  readonly kubeconfig: string;
  readonly bootstrapKubeconfig: string;
  readonly store: PairStore;
  /** Those of the kubeconfig that is to be there. */
  readonly credentials: Pick<CredentialFiles, "current" | "doubt">;
  /** With the bootstrap's credentials. */
  readonly client: Pick<KubeClient, "get" | "create" | "stream" | "pause">;
  info(text: string): void;
  failed(error: unknown): void;
}

/** Resolves once there is a kubeconfig whose certificate is good; tries until then. Rejects with the signal's reason. */
export async function bootstrapped(ports: BootstrapPorts, signal: AbortSignal): Promise<void> {
  const { clock, random, credentials, failed, info } = ports;
  const waits = new BackOff(certificateBackOff, random);
  let failing = false;
  while (!(await isUsable(ports))) {
    try {
      if (!failing) info("Using bootstrap kubeconfig to generate TLS client cert, key and kubeconfig file");
      await bootstrap(ports, signal);
      credentials.doubt();
      if (await isUsable(ports)) return;
      throw new Error(
        "the certificate that was signed cannot be used: expected one that holds now, by this machine's clock",
      );
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (!failing) failed(error);
      failing = true;
      await sleep(clock, waits.failed(clock.monotonic()), signal);
    }
  }
}

/** There is a kubeconfig, and its certificate, where it has one, is not over. */
async function isUsable({ credentials, clock }: BootstrapPorts): Promise<boolean> {
  try {
    const { cert } = await credentials.current();
    return cert === undefined || !isOver(certificateLife(cert), clock.now());
  } catch {
    // Not readable: it is written again.
    return false;
  }
}

async function bootstrap(ports: BootstrapPorts, signal: AbortSignal): Promise<void> {
  const { bootstrapKubeconfig, client, clock, kubeconfig, nodeName, random, store } = ports;
  const config = parseKubeConfig(await readFile(bootstrapKubeconfig, "utf8"), bootstrapKubeconfig);
  // Always: a pair that lies there may be another cluster's.
  await requestPair({ client, clock, random, store }, clientCertificate(nodeName), signal);
  await mkdir(dirname(kubeconfig), { recursive: true });
  await writeFileAtomic(kubeconfig, kubeConfigText(config, store.currentPath));
}

// The kubeconfig that a bootstrap writes: the bootstrap's server, and the certificate that was signed. Pure but for its library.

/** `pair`: absolute path of the file with certificate and key. */
function kubeConfigText({ server, ca, insecureSkipTLSVerify, tlsServerName }: KubeConfig, pair: string): string {
  const cluster = {
    server,
    ...(ca !== undefined && authority(ca)),
    ...(insecureSkipTLSVerify && { "insecure-skip-tls-verify": true }),
    ...(tlsServerName !== undefined && { "tls-server-name": tlsServerName }),
  };
  return stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "default-cluster", cluster }],
    contexts: [
      { name: "default-context", context: { cluster: "default-cluster", namespace: "default", user: "default-auth" } },
    ],
    "current-context": "default-context",
    users: [{ name: "default-auth", user: { "client-certificate": pair, "client-key": pair } }],
  });
}

function authority(ca: Held): object {
  return "text" in ca
    ? { "certificate-authority-data": Buffer.from(ca.text).toString("base64") }
    : { "certificate-authority": ca.file };
}
