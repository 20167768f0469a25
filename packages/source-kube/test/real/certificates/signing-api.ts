/** An API server with real TLS that takes requests for certificates, and signs them on command. */
import { constants, createPublicKey, KeyObject, X509Certificate as NodeCertificate, webcrypto } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { AddressInfo } from "node:net";
import { TLSSocket } from "node:tls";
import {
  BasicConstraintsExtension,
  type Extension,
  Pkcs10CertificateRequest,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from "@peculiar/x509";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
type Keys = Awaited<ReturnType<typeof makeKeys>>;
const makeKeys = () => webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);

const pemOf = ({ privateKey }: Keys) => KeyObject.from(privateKey).export({ type: "pkcs8", format: "pem" }) as string;

interface Request {
  readonly apiVersion: string;
  readonly kind: string;
  metadata: { readonly name: string; uid: string; resourceVersion: string };
  readonly spec: { readonly request: string; readonly signerName: string; readonly usages: readonly string[] };
  status?: { certificate?: string; conditions?: { type: string; status: string; reason: string; message: string }[] };
}

export class SigningApi {
  ca = "";
  /** `METHOD path WHO`, in the order of asking. */
  readonly asked: string[] = [];
  readonly requests = new Map<string, Request>();
  /** Milliseconds that a certificate lives from now on. */
  life = 3_600_000;
  /** The next answers of this status in place of the right one. */
  readonly faults: number[] = [];
  /** The names of a request are left out of its certificate. */
  dropsNames = false;
  /** Signs another key than the one of the request. */
  mixesKeys = false;
  /** The first list of a watch is from before the request. */
  isStale = false;
  readonly #streams = new Set<ServerResponse>();
  #keys: Keys | undefined;
  #server: Server | undefined;
  #version = 100;

  async start(): Promise<void> {
    this.#keys = await makeKeys();
    const own = await X509CertificateGenerator.createSelfSigned(
      {
        name: "CN=test-ca",
        keys: this.#keys,
        signingAlgorithm: algorithm,
        extensions: [new BasicConstraintsExtension(true, undefined, true)],
      },
      webcrypto,
    );
    this.ca = own.toString("pem");
    const keys = await makeKeys();
    const cert = await this.#signed("CN=api", keys.publicKey, [
      new SubjectAlternativeNameExtension([{ type: "ip", value: "127.0.0.1" }]),
    ]);
    this.#server = createServer(
      {
        cert,
        key: pemOf(keys),
        ca: this.ca,
        requestCert: true,
        rejectUnauthorized: false,
        secureOptions: constants.SSL_OP_NO_TICKET,
      },
      (request, response) => void this.#answer(request, response),
    );
    await new Promise<void>((resolve) => this.#server?.listen(0, "127.0.0.1", resolve));
  }

  async stop(): Promise<void> {
    this.#server?.closeAllConnections();
    await new Promise((resolve) => this.#server?.close(resolve));
  }

  get url(): string {
    const address = this.#server?.address() as AddressInfo;
    return `https://127.0.0.1:${address.port}`;
  }

  kubeconfig(user: object): string {
    return JSON.stringify({
      "current-context": "x",
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      clusters: [
        {
          name: "c",
          cluster: { server: this.url, "certificate-authority-data": Buffer.from(this.ca).toString("base64") },
        },
      ],
      users: [{ name: "u", user }],
    });
  }

  get pending(): readonly Request[] {
    return [...this.requests.values()].filter(({ status }) => status?.conditions === undefined);
  }

  /** Certificate and key, signed without having been asked for. PEM. */
  async pair(subject: string): Promise<string> {
    const keys = await makeKeys();
    return `${await this.#signed(subject, keys.publicKey, [])}\n${pemOf(keys)}`;
  }

  /** Signs all that wait. */
  async approve(): Promise<void> {
    for (const request of this.pending) {
      const text = Buffer.from(request.spec.request, "base64").toString();
      const csr = new Pkcs10CertificateRequest(text);
      if (!(await csr.verify(webcrypto))) throw new Error("a request that its own key did not sign");
      const key = this.mixesKeys ? (await makeKeys()).publicKey : await csr.publicKey.export(webcrypto);
      const names = this.dropsNames ? [] : csr.extensions;
      const certificate = await this.#signed(csr.subject, key, names);
      this.#change(request, {
        certificate: Buffer.from(certificate).toString("base64"),
        conditions: [{ type: "Approved", status: "True", reason: "AutoApproved", message: "" }],
      });
    }
  }

  deny(): void {
    for (const request of this.pending) {
      this.#change(request, { conditions: [{ type: "Denied", status: "True", reason: "No", message: "not you" }] });
    }
  }

  #change(request: Request, status: NonNullable<Request["status"]>): void {
    request.status = status;
    request.metadata = { ...request.metadata, resourceVersion: String(++this.#version) };
    for (const stream of this.#streams) stream.write(`${JSON.stringify({ type: "MODIFIED", object: request })}\n`);
  }

  async #signed(subject: string, publicKey: webcrypto.CryptoKey, extensions: readonly Extension[]): Promise<string> {
    const keys = this.#keys as Keys;
    const made = await X509CertificateGenerator.create(
      {
        subject,
        issuer: "CN=test-ca",
        notBefore: new Date(Date.now() - 2_000),
        notAfter: new Date(Date.now() + this.life),
        publicKey,
        signingKey: keys.privateKey,
        signingAlgorithm: algorithm,
        extensions: [...extensions],
      },
      webcrypto,
    );
    return made.toString("pem");
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "", "https://api");
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const who = whoAsks(request);
    this.asked.push(`${request.method} ${url.pathname} ${who}`);
    const fault = this.faults.shift();
    if (fault !== undefined || who === "nobody") {
      const code = fault ?? 401;
      json(response, code, { kind: "Status", code, reason: "Fault", message: "fault" });
      return;
    }
    const collection = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
    if (url.pathname === collection && request.method === "POST") this.#create(parts, response);
    else if (url.pathname === collection) this.#watch(url, response);
    else if (url.pathname.startsWith(`${collection}/`)) {
      const found = this.requests.get(url.pathname.slice(collection.length + 1));
      json(response, found === undefined ? 404 : 200, found ?? { kind: "Status", code: 404, reason: "NotFound" });
    } else if (url.searchParams.get("watch") === "true") this.#watch(url, response);
    else json(response, 200, { who });
  }

  #create(parts: readonly Buffer[], response: ServerResponse): void {
    const object = JSON.parse(Buffer.concat(parts).toString()) as Request;
    const { name } = object.metadata;
    if (this.requests.has(name)) {
      json(response, 409, { kind: "Status", code: 409, reason: "AlreadyExists", message: "it is there" });
      return;
    }
    object.metadata = { name, uid: `uid-${name}`, resourceVersion: String(++this.#version) };
    this.requests.set(name, object);
    json(response, 201, object);
  }

  #watch(url: URL, response: ServerResponse): void {
    response.writeHead(200, { "content-type": "application/json" });
    response.flushHeaders();
    const name = url.searchParams.get("fieldSelector")?.split("=")[1] ?? "";
    const found = this.requests.get(name);
    if (found !== undefined && !this.isStale) response.write(`${JSON.stringify({ type: "ADDED", object: found })}\n`);
    const annotations = { "k8s.io/initial-events-end": "true" };
    const bookmark = { metadata: { resourceVersion: String(this.#version), annotations } };
    response.write(`${JSON.stringify({ type: "BOOKMARK", object: bookmark })}\n`);
    this.#streams.add(response);
    response.on("close", () => this.#streams.delete(response));
  }
}

function whoAsks({ socket, headers }: IncomingMessage): string {
  if (socket instanceof TLSSocket && socket.authorized) {
    const { subject, serialNumber } = socket.getPeerCertificate();
    return `${subject.CN} ${serialNumber}`;
  }
  return headers.authorization === "Bearer boot" ? "bootstrap" : "nobody";
}

function json(response: ServerResponse, code: number, body: unknown): void {
  response.writeHead(code, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/** Whether the certificate is of this key. */
export function isOfKey(pem: string, key: string): boolean {
  const own = new NodeCertificate(pem).publicKey.export({ type: "spki", format: "pem" });
  return own === createPublicKey(key).export({ type: "spki", format: "pem" });
}
