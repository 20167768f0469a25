/** Files of the cluster that stands: its authority, its keys, a kubeconfig for clients with a token. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { there } from "./cluster.js";

export const PKI = path.join(path.dirname(there.manifests), "pki");
export const AUTHORITY = path.join(PKI, "ca.crt");

/** `user`: of the kubeconfig, as `token` or `tokenFile`. */
export function kubeconfigOf(user: object): string {
  const authority = readFileSync(AUTHORITY).toString("base64");
  return JSON.stringify({
    apiVersion: "v1",
    kind: "Config",
    clusters: [{ name: "c", cluster: { server: there.server, "certificate-authority-data": authority } }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}
