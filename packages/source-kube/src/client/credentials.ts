/** The credentials of a kubeconfig, read again when their files change. */
import { createHash, createPrivateKey, X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import { type Clock, errorText, invalid, NodeAgentError } from "@hooklet/core";
import { whenGone } from "@hooklet/core/subsystem";
import { type Held, type KubeConfig, parseKubeConfig } from "./kubeconfig.js";

export interface Credentials {
  readonly server: string;
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly servername?: string;
  readonly rejectUnauthorized: boolean;
  readonly token?: string;
  /** Of what a connection stands on: another text, another connection. The token is sent with each request. */
  readonly identity: string;
}

/** Milliseconds for which what was read counts, as in client-go. */
const FRESH = 60_000;

export class CredentialFiles {
  #known: Credentials | undefined;
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<Credentials> | undefined;
  readonly #listeners = new Set<() => void>();

  /**
   * `file`: absolute path of the kubeconfig. `pairFile`: certificate and key that are rotated; while it exists it replaces
   * the kubeconfig's own, unless it is damaged or expired (the certificate manager reports that, and requests another).
   */
  constructor(
    private readonly file: string,
    private readonly clock: Clock,
    private readonly pairFile?: string,
  ) {}

  /** Called whenever a connection has to stand on something else: another server, authority, certificate. */
  watch(listener: () => void): void {
    this.#listeners.add(listener);
  }

  /**
   * At most a minute old. While files cannot be read, the previous credentials count.
   * Rejects with INVALID as long as there were none.
   */
  async current(): Promise<Credentials> {
    if (this.#known !== undefined && this.clock.monotonic() - this.#readAt < FRESH) return this.#known;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** The server rejected them: the next call reads the files. */
  doubt(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }

  async #read(): Promise<Credentials> {
    const before = this.#known;
    try {
      this.#known = await readCredentials(this.file, this.pairFile, this.clock.now());
    } catch (error) {
      if (before === undefined) throw error;
    }
    this.#readAt = this.clock.monotonic();
    const known = this.#known as Credentials;
    if (before !== undefined && before.identity !== known.identity) for (const tell of this.#listeners) tell();
    return known;
  }
}

async function readCredentials(file: string, pairFile: string | undefined, now: number): Promise<Credentials> {
  const config = parseKubeConfig(await readText(file, "the kubeconfig"), file);
  const text = async (held: Held | undefined, what: string): Promise<string | undefined> => {
    if (held === undefined) return undefined;
    return "text" in held ? held.text : readText(held.file, what);
  };
  const pair = pairFile === undefined ? undefined : await soundPair(pairFile, now);
  const [ca, cert, key, token] = await Promise.all([
    text(config.ca, "the certificate authority"),
    pair ?? text(config.clientCertificate, "the client certificate"),
    pair ?? text(config.clientKey, "the client key"),
    text(config.token, "the token"),
  ]);
  return { ...connectionOf(config, { ca, cert, key }), ...(token !== undefined && { token: token.trim() }) };
}

/** Undefined: there is none, or none that can be used. */
async function soundPair(file: string, now: number): Promise<string | undefined> {
  const text = await whenGone(undefined, () => readFile(file, "utf8"));
  if (text === undefined) return undefined;
  try {
    const leaf = new X509Certificate(text);
    const isSound = leaf.checkPrivateKey(createPrivateKey(text)) && now < Date.parse(leaf.validTo);
    return isSound ? text : undefined;
  } catch {
    // The certificate manager reads the same file and reports it.
    return undefined;
  }
}

function connectionOf(
  config: KubeConfig,
  { ca, cert, key }: Readonly<Record<"ca" | "cert" | "key", string | undefined>>,
): Omit<Credentials, "token"> {
  const { server, tlsServerName: servername, insecureSkipTLSVerify } = config;
  const parts = [server, servername ?? "", String(insecureSkipTLSVerify), ca ?? "", cert ?? "", key ?? ""];
  return {
    server,
    rejectUnauthorized: !insecureSkipTLSVerify,
    identity: createHash("sha256").update(JSON.stringify(parts)).digest("hex"),
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(servername !== undefined && { servername }),
  };
}

const MAX_BYTES = 4 * 1024 * 1024;

async function readText(file: string, what: string): Promise<string> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw new NodeAgentError("INVALID", `Cannot read ${what} ${file}: ${errorText(error)}`);
  }
  if (text.length > MAX_BYTES) throw invalid(what, `a file of at most ${MAX_BYTES} bytes`, text.length);
  return text;
}
