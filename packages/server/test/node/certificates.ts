/** An authority, and a client that it signed. */
import { generate } from "selfsigned";

export async function authorityAndClient(): Promise<{
  readonly ca: string;
  readonly client: { readonly cert: string; readonly key: string };
}> {
  const ca = await generate([{ name: "commonName", value: "ca" }], {
    keyType: "ec",
    algorithm: "sha256",
    extensions: [{ name: "basicConstraints", cA: true, critical: true }],
  });
  const subject = [
    { name: "commonName", value: "kube-apiserver" },
    { shortName: "O", value: "system:masters" },
  ];
  const signer = { key: ca.private, cert: ca.cert };
  const made = await generate(subject, { keyType: "ec", algorithm: "sha256", ca: signer });
  return { ca: ca.cert, client: { cert: made.cert, key: made.private } };
}
