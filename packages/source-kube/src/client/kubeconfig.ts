/** A kubeconfig, as far as a node needs it: the current context's server and credentials. */
import { dirname, resolve } from "node:path";
import { invalid } from "@hooklet/core";
import { LineCounter, parse, YAMLParseError } from "yaml";
import { z } from "zod";

/** Text in the file itself, or the absolute path of another file. */
export type Held = { readonly text: string } | { readonly file: string };

export interface KubeConfig {
  /** Without a slash at its end. */
  readonly server: string;
  readonly ca?: Held;
  /** Accept any certificate of the server. */
  readonly insecureSkipTLSVerify: boolean;
  /** Name that the server's certificate has to have, in place of the URL's. */
  readonly tlsServerName?: string;
  readonly clientCertificate?: Held;
  readonly clientKey?: Held;
  readonly token?: Held;
}

const text = z
  .string()
  .min(1)
  .max(1024 * 1024);
const cluster = z.looseObject({
  server: z.url({ protocol: /^https?$/, error: "an http or https URL" }).max(2048),
  "certificate-authority": text.optional(),
  "certificate-authority-data": text.optional(),
  "insecure-skip-tls-verify": z.boolean().optional(),
  "tls-server-name": text.optional(),
});
const user = z.looseObject({
  "client-certificate": text.optional(),
  "client-certificate-data": text.optional(),
  "client-key": text.optional(),
  "client-key-data": text.optional(),
  token: text.optional(),
  tokenFile: text.optional(),
  exec: z.unknown().optional(),
  "auth-provider": z.unknown().optional(),
  username: z.string().optional(),
});
const context = z.looseObject({ cluster: text, user: text.optional() });
const MAX_ENTRIES = 1000;
const schema = z.looseObject({
  "current-context": text,
  clusters: z.array(z.looseObject({ name: z.string(), cluster })).max(MAX_ENTRIES),
  users: z
    .array(z.looseObject({ name: z.string(), user }))
    .max(MAX_ENTRIES)
    .default([]),
  contexts: z.array(z.looseObject({ name: z.string(), context })).max(MAX_ENTRIES),
});

/**
 * `file`: absolute; relative paths in it begin at its folder.
 * @throws NodeAgentError INVALID
 */
export function parseKubeConfig(content: string, file: string): KubeConfig {
  const lineCounter = new LineCounter();
  let raw: unknown;
  try {
    raw = parse(content, { maxAliasCount: 10, prettyErrors: false, lineCounter });
  } catch (error) {
    throw invalid(`kubeconfig ${file}`, "YAML", yamlFault(error, lineCounter));
  }
  const parsed = schema.safeParse(raw);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw invalid(`kubeconfig ${file}, ${issue?.path.join(".") || "as a whole"}`, "a kubeconfig", issue?.message);
  }
  const { contexts, clusters, users, "current-context": current } = parsed.data;
  const { context: chosen } = pick(contexts, current, `context "${current}"`, file);
  const { cluster: server } = pick(clusters, chosen.cluster, `cluster "${chosen.cluster}"`, file);
  const who: z.output<typeof user> =
    chosen.user === undefined ? {} : pick(users, chosen.user, `user "${chosen.user}"`, file).user;
  for (const key of ["exec", "auth-provider", "username"] as const) {
    if (who[key] !== undefined) {
      throw invalid(`kubeconfig ${file}, user ${chosen.user}`, "a client certificate, token or tokenFile", key);
    }
  }
  const held = (data: string | undefined, path: string | undefined): Held | undefined => {
    if (data !== undefined) return { text: Buffer.from(data, "base64").toString("utf8") };
    return path === undefined ? undefined : { file: resolve(dirname(file), path) };
  };
  const tokenFile = who.tokenFile === undefined ? undefined : { file: resolve(dirname(file), who.tokenFile) };
  const ca = held(server["certificate-authority-data"], server["certificate-authority"]);
  const clientCertificate = held(who["client-certificate-data"], who["client-certificate"]);
  const clientKey = held(who["client-key-data"], who["client-key"]);
  // A token file can change, so it comes first, as in client-go.
  const token = tokenFile ?? (who.token === undefined ? undefined : { text: who.token });
  const tlsServerName = server["tls-server-name"];
  return {
    server: server.server.replace(/\/+$/, ""),
    insecureSkipTLSVerify: server["insecure-skip-tls-verify"] ?? false,
    ...(ca && { ca }),
    ...(clientCertificate && { clientCertificate }),
    ...(clientKey && { clientKey }),
    ...(token && { token }),
    ...(tlsServerName !== undefined && { tlsServerName }),
  };
}

/** Where and of what kind, never the text: that may be a token, and this goes to the log. */
function yamlFault(error: unknown, lines: LineCounter): string {
  if (error instanceof YAMLParseError) return `${error.code} in line ${lines.linePos(error.pos[0]).line}`;
  return error instanceof Error ? error.message : String(error);
}

function pick<T extends { readonly name: string }>(list: readonly T[], name: string, what: string, file: string): T {
  const found = list.find((one) => one.name === name);
  if (found === undefined) throw invalid(`kubeconfig ${file}`, what, list.map((one) => one.name).join(", ") || "none");
  return found;
}
