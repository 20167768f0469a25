/** The kubelet's server on 10250: the API server's requests to a node, over HTTPS, with authentication. */
import { constants } from "node:crypto";
import { createServer, type Server } from "node:https";
import type { AgentApi, NodeServerConfig } from "@hooklet/core/host";
import type { ServingCertificate } from "@hooklet/core/subsystem";
import { type Clock, cannotListen, errorText, NodeAgentError, type Timer } from "@hooklet/utils";
import type { Logger } from "pino";
import { Audit } from "../audit.js";
import { BOUNDED, Pools } from "../connection-limits.js";
import { nodeServer } from "../endpoints.js";
import { Listener } from "../listener.js";
import { prepareServing, type Serving } from "../serving.js";
import type { Admission, Noted } from "../streams/upgrades.js";
import { type CertificateInput, type Credentials, credentials } from "./certificates.js";
import { Guard } from "./guard.js";
import { anonymous } from "./user.js";

export interface NodeServerOptions extends Pick<CertificateInput, "rootDir" | "nodeName" | "nodeIp"> {
  readonly config: NodeServerConfig;
  readonly clock: Clock;
}

/** Milliseconds between two checks of the certificates: files that others renew, and a self-signed one that expires. */
const LOOK = 60_000;
/** For every context: a renewed certificate changes none of it. A resumed session would not show its client certificate again. */
const TLS = { minVersion: "TLSv1.2", secureOptions: constants.SSL_OP_NO_TICKET } as const;
/** Milliseconds for a handshake, for the head of a request, and between two checks for late ones. */
const HEADERS_TIMEOUT = 10_000;
const LOOK_FOR_LATE = 5_000;
/** Milliseconds of silence before TCP keep-alive. As Go's servers do. */
const KEEP_ALIVE = 15_000;
/** Strangers have not been let in yet: each may hold a head of MAX_HEADER_BYTES. A command of exec stands in it. */
const POOLS = { strangers: 256, known: 3_840 } as const;
const MAX_HEADER_BYTES = 1024 * 1024;

export class NodeServer {
  #serving: Serving | undefined;
  #look: Timer | undefined;
  #signed: ServingCertificate | undefined;
  #unwatch: () => void = () => undefined;
  #renewing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly options: NodeServerOptions,
    private readonly listener: Listener<Server>,
    private readonly pools: Pools<keyof typeof POOLS>,
    /** What is served now. */
    private shown: Credentials,
  ) {}

  /** Listens, and tells everybody that the agent starts. @throws NodeAgentError CANNOT_LISTEN, INVALID */
  static async open(options: NodeServerOptions): Promise<NodeServer> {
    const files = await credentials(options);
    let server: Server;
    try {
      server = createServer({
        ...files,
        ...TLS,
        requestCert: files.ca !== undefined,
        rejectUnauthorized: false,
        maxHeaderSize: MAX_HEADER_BYTES,
        // Streams last for hours; the head of their request came soon.
        requestTimeout: 0,
        handshakeTimeout: HEADERS_TIMEOUT,
        headersTimeout: HEADERS_TIMEOUT,
        connectionsCheckingInterval: LOOK_FOR_LATE,
        // A client whose machine is gone is silent: its command and its connections would stay forever.
        keepAlive: true,
        keepAliveInitialDelay: KEEP_ALIVE,
        ...BOUNDED,
      });
    } catch (cause) {
      throw new NodeAgentError("INVALID", `server: its certificate cannot be used: ${errorText(cause)}`, { cause });
    }
    const listener = new Listener(server, "secureConnection");
    const pools = new Pools(server, POOLS, "strangers");
    const { address, port } = options.config;
    await listener.listen({ host: address, port }).catch((cause: unknown) => {
      const hint = "Choose another server.port or server.address.";
      throw cannotListen(`${address}:${port}`, errorText(cause), hint, cause);
    });
    return new NodeServer(options, listener, pools, files);
  }

  /** Resolves with what begins to serve. @throws NodeAgentError INVALID when no client could be authenticated */
  async prepare(api: AgentApi, log: Logger): Promise<() => void> {
    const { config, nodeName, clock } = this.options;
    if (config.authorization.mode === "Webhook" && api.reviews === undefined) {
      const text =
        "server.authorization.mode: Webhook asks the API server who may do what, and there is none: add sources.kube, or say AlwaysAllow";
      throw new NodeAgentError("INVALID", text);
    }
    const context = { api, clock, log };
    const idle = config.streamingConnectionIdleTimeout * 1000;
    const serving = await prepareServing(context, this.listener, {
      endpoint: { ...nodeServer, streams: { ...nodeServer.streams, idle } },
      audit: new Audit(context),
      admit: this.#admission(new Guard({ config, nodeName, reviews: api.reviews, clock, log }), log),
    });
    const before = this.#serving;
    this.#serving = serving;
    this.#signed = api.servingCertificate;
    this.#unwatch = this.#signed?.watch(() => void this.#renew(log)) ?? this.#unwatch;
    // A plugin has one only once it is open: until then the former agent's is shown.
    if (before === undefined || this.#signed === undefined || this.#signed.current() !== undefined)
      await this.#renew(log);
    this.#watch(log);
    return () => {
      serving.serve();
      void before?.close();
    };
  }

  /** As `handOver` of all servers. */
  handOver(): void {
    this.#rest();
    this.listener.handOver({ listsPods: false });
  }

  #rest(): void {
    this.#look?.cancel();
    this.#look = undefined;
    this.#unwatch();
    this.#unwatch = () => undefined;
  }

  /** Ends all requests, streams too. */
  async close(): Promise<void> {
    this.#rest();
    const served = this.#serving?.close();
    await Promise.all([this.listener.close(), served]);
  }

  #admission(guard: Guard, log: Logger): Admission {
    return async (request) => {
      const verdict = await guard.check(request);
      if (verdict.status !== 200) return verdict;
      const { name } = verdict.user;
      // Authenticated connections are not dropped for others.
      if (name !== anonymous.name) this.pools.enter(request.socket, "known");
      // Each stream is in the log with its user.
      const noted: Noted = (what, work) => {
        log.info({ audit: { user: name } }, `audit: ${what}; by ${name}`);
        return work();
      };
      return { status: 200, noted };
    };
  }

  #watch(log: Logger): void {
    const look = this.options.clock.schedule(LOOK, async () => {
      await this.#renew(log);
      // Closed or handed over meanwhile.
      if (this.#look === look) this.#watch(log);
    });
    this.#look = look;
  }

  /** Certificates are renewed while the agent runs: new connections get the new one. One renewal at a time: the last one counts. */
  #renew(log: Logger): Promise<void> {
    this.#renewing = this.#renewing.then(() => this.#renewOnce(log));
    return this.#renewing;
  }

  /** Never rejects. */
  async #renewOnce(log: Logger): Promise<void> {
    try {
      const fresh = await credentials(this.options, this.#signed);
      if (fresh.cert === this.shown.cert && fresh.key === this.shown.key && fresh.ca === this.shown.ca) return;
      this.listener.server.setSecureContext({ ...fresh, ...TLS });
      this.shown = fresh;
    } catch (error) {
      // The files may be half renewed; they are read again.
      log.warn(`the server's new certificate cannot be used: ${errorText(error)}; the old one stays`);
    }
  }
}
