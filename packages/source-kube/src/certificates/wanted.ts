/** What the node's certificates say, and the request for one as the API has it (pkg/kubelet/certificate). Pure. */

export interface Wanted {
  readonly signerName: "kubernetes.io/kube-apiserver-client-kubelet" | "kubernetes.io/kubelet-serving";
  readonly commonName: string;
  readonly organization: "system:nodes";
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly usages: readonly string[];
}

/** Who the node is to the API server. */
export function clientCertificate(nodeName: string): Wanted {
  return {
    signerName: "kubernetes.io/kube-apiserver-client-kubelet",
    commonName: `system:node:${nodeName}`,
    organization: "system:nodes",
    dnsNames: [],
    ipAddresses: [],
    usages: ["digital signature", "client auth"],
  };
}

/** Undefined while the node has no address: no signer would accept it. */
export function servingCertificate(
  nodeName: string,
  addresses: readonly { readonly type: string; readonly address: string }[],
): Wanted | undefined {
  const of = (...types: readonly string[]): readonly string[] =>
    [...new Set(addresses.filter(({ type }) => types.includes(type)).map(({ address }) => address))].sort();
  const names = of("Hostname", "InternalDNS", "ExternalDNS");
  // A machine without a name has its address as one.
  const dnsNames = names.filter((name) => !isIp(name));
  const ips = [...of("InternalIP", "ExternalIP"), ...names.filter(isIp)];
  const ipAddresses = [...new Set(ips.map(plainIp))].sort();
  if (dnsNames.length + ipAddresses.length === 0) return undefined;
  return {
    ...clientCertificate(nodeName),
    signerName: "kubernetes.io/kubelet-serving",
    dnsNames,
    ipAddresses,
    usages: ["digital signature", "server auth"],
  };
}

/** Of a host: no name has a colon, or four numbers for its parts. */
function isIp(host: string): boolean {
  return host.includes(":") || /^\d{1,3}(\.\d{1,3}){3}$/.test(host);
}

/** One text for one address: `FD00:0:0:0:0:0:0:1` is `fd00::1`. */
export function plainIp(ip: string): string {
  const url = `http://[${ip}]`;
  return URL.canParse(url) ? new URL(url).hostname.slice(1, -1) : ip;
}

/** `request`: PKCS#10 in PEM. */
export function signingRequest(name: string, { signerName, usages }: Wanted, request: string): object {
  return {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name },
    spec: { request: Buffer.from(request).toString("base64"), signerName, usages },
  };
}

export interface SigningRequest {
  readonly spec?: { readonly signerName?: string; readonly usages?: readonly string[] };
  readonly status?: {
    readonly certificate?: string;
    readonly conditions?: readonly { readonly type: string; readonly reason?: string; readonly message?: string }[];
  };
}

export type Answer =
  | { readonly kind: "pending" }
  | { readonly kind: "signed"; readonly certificate: string }
  | { readonly kind: "refused"; readonly why: string };

/** What has become of a request so far. */
export function answerOf({ status }: SigningRequest): Answer {
  for (const { type, reason = "", message = "" } of status?.conditions ?? []) {
    if (type === "Denied") return { kind: "refused", why: `denied, reason: ${reason}, message: ${message}` };
    if (type === "Failed") return { kind: "refused", why: `failed, reason: ${reason}, message: ${message}` };
  }
  // A signature before the approval counts for nothing.
  const approved = status?.conditions?.some(({ type }) => type === "Approved") === true;
  if (!approved || status?.certificate === undefined || status.certificate === "") return { kind: "pending" };
  return { kind: "signed", certificate: Buffer.from(status.certificate, "base64").toString("utf8") };
}

/** Whether a request of this name, made by an earlier agent, asks for the same. */
export function asksFor({ spec }: SigningRequest, { signerName, usages }: Wanted): boolean {
  const same = [...(spec?.usages ?? [])].sort().join() === [...usages].sort().join();
  return spec?.signerName === signerName && same;
}
