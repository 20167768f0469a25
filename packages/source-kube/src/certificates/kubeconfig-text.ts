/** The kubeconfig that a bootstrap writes: the bootstrap's server, and the certificate that was signed. Pure but for its library. */
import { stringify } from "yaml";
import type { Held, KubeConfig } from "../client/kubeconfig.js";

/** `pair`: absolute path of the file with certificate and key. */
export function kubeConfigText({ server, ca, insecureSkipTLSVerify, tlsServerName }: KubeConfig, pair: string): string {
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
