/** The kubelet's server on 10250: what an API server asks of a node, over HTTPS, for whom it lets in. */
import { constants } from "node:crypto";
import type { RequestListener } from "node:http";
import { createServer, type Server } from "node:https";
import type { Socket } from "node:net";
import type { ServingCertificate } from "@hooklet/core";
import { type Clock, cannotListen, errorText, NodeAgentError, type Timer } from "@hooklet/core/base";
import type { AgentApi, NodeServerConfig } from "@hooklet/core/host";
import { type FastifyInstance, fastify } from "fastify";
import type { Logger } from "pino";
import { healthRoutes } from "../health-routes.js";
import { answerFromNowOn, BOUNDED, bindRequests, connectionsOf } from "../http-door.js";
import { metricRoutes } from "../metric-routes.js";
import { readRoutes } from "../read-routes.js";
import { countRequests } from "../request-metrics.js";
import { Rooms } from "../rooms.js";
import type { ServerContext } from "../server-context.js";
import { statsRoutes } from "../stats-routes.js";
import { StreamRoom } from "../stream-room.js";
import { nodeServer } from "../surfaces.js";
import { errorAnswer } from "../wire/error-body.js";
import { ANSWER_HEADERS } from "../wire/headers.js";
import { type CertificateInput, type Credentials, credentials } from "./certificates.js";
import { containerLogsRoute } from "./container-logs.js";
import { Guard } from "./guard.js";
import { NodeStreams } from "./streams.js";
import { anonymous } from "./user.js";

export interface NodeDoorOptions extends Pick<CertificateInput, "rootDir" | "nodeName" | "nodeIp"> {
  readonly config: NodeServerConfig;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Milliseconds between two looks at the certificates: files that others renew, and one of its own that comes to its end. */
const LOOK = 60_000;
/** Of every context: a renewed certificate changes none of it. A session that goes on would not show its certificate again. */
const TLS = { minVersion: "TLSv1.2", secureOptions: constants.SSL_OP_NO_TICKET } as const;
/** Milliseconds in which a handshake must be over, and the head of a request must have come, and between two looks at who is late. */
const HEADERS_TIMEOUT = 10_000;
const LOOK_FOR_LATE = 5_000;
/** Milliseconds of silence after which the kernel asks whether the other end is still there. As Go's servers do. */
const KEEP_ALIVE = 15_000;
/** Strangers have not been let in yet: each may hold a head of MAX_HEADER_BYTES. A command of exec stands in it. */
const PLACES = { strangers: 256, known: 3_840 } as const;
const MAX_HEADER_BYTES = 1024 * 1024;
const MAX_BODY_BYTES = 64 * 1024;

export class NodeDoor {
  #app: FastifyInstance | undefined;
  #streams: NodeStreams | undefined;
  #look: Timer | undefined;
  #signed: ServingCertificate | undefined;
  #unwatch: () => void = () => undefined;
  #renewing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly options: NodeDoorOptions,
    private readonly server: Server,
    /** What is served now. */
    private shown: Credentials,
    private readonly rooms: Rooms<keyof typeof PLACES>,
    /** Below TLS: each takes what is upon it along. */
    private readonly connections: ReadonlySet<Socket>,
  ) {}

  /** Listens, and tells everybody that the agent starts. @throws NodeAgentError CANNOT_LISTEN, INVALID */
  static async open(options: NodeDoorOptions): Promise<NodeDoor> {
    const files = await credentials(options);
    let server: Server;
    try {
      server = createServer({
        ...files,
        ...TLS,
        requestCert: files.ca !== undefined,
        rejectUnauthorized: false,
        maxHeaderSize: MAX_HEADER_BYTES,
        // Streams last for hours; who asks has said so soon.
        requestTimeout: 0,
        handshakeTimeout: HEADERS_TIMEOUT,
        headersTimeout: HEADERS_TIMEOUT,
        connectionsCheckingInterval: LOOK_FOR_LATE,
        // A client whose machine is gone says nothing: its command and its connections would stay for ever.
        keepAlive: true,
        keepAliveInitialDelay: KEEP_ALIVE,
        ...BOUNDED,
      });
    } catch (cause) {
      throw new NodeAgentError("INVALID", `server: its certificate cannot be used: ${errorText(cause)}`, { cause });
    }
    bindRequests(server, "secureConnection");
    const connections = connectionsOf(server);
    const rooms = new Rooms(server, PLACES, "strangers");
    const { address, port } = options.config;
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen({ host: address, port }, () => {
        server.off("error", reject);
        resolve();
      });
    }).catch((cause: unknown) => {
      throw cannotListen(
        `${address}:${port}`,
        errorText(cause),
        "Choose another server.port or server.address.",
        cause,
      );
    });
    const door = new NodeDoor(options, server, files, rooms, connections);
    door.#watch();
    return door;
  }

  /** Answers from now on. @throws NodeAgentError INVALID when nobody could be let in */
  async serve(api: AgentApi): Promise<void> {
    const { config, nodeName, clock, log } = this.options;
    if (config.authorization.mode === "Webhook" && api.reviews === undefined) {
      const text =
        "server.authorization.mode: Webhook asks the API server who may do what, and there is none: add sources.kube, or say AlwaysAllow";
      throw new NodeAgentError("INVALID", text);
    }
    const guard = this.#noting(new Guard({ config, nodeName, reviews: api.reviews, clock, log }));
    const context = { api, clock, log };
    let answer: RequestListener | undefined;
    const idle = config.streamingConnectionIdleTimeout * 1000;
    this.#app = buildNodeApp(context, guard, idle, (given) => {
      answer = given;
      return this.server;
    });
    // Until it is ready its hooks are not, and they keep people out.
    await this.#app.ready();
    const streams = new NodeStreams(context, guard, idle);
    this.#streams = streams;
    this.#signed = api.servingCertificate;
    this.#unwatch = this.#signed?.watch(() => void this.#renew()) ?? this.#unwatch;
    await this.#renew();
    this.server.on("upgrade", (request, socket, head) => void streams.upgrade(request, socket, head));
    if (answer !== undefined) answerFromNowOn(this.server, answer);
  }

  /** Ends all requests, streams too. */
  async close(): Promise<void> {
    this.#look?.cancel();
    this.#unwatch();
    this.#streams?.close();
    const closed = new Promise<void>((resolve) => this.server.close(() => resolve()));
    const app = this.#app?.close();
    for (const socket of this.connections) socket.destroy();
    await Promise.all([closed, app]);
  }

  /** Connections of those who are let in are not the ones that give way. */
  #noting(guard: Guard): Pick<Guard, "check"> {
    return {
      check: async (request) => {
        const verdict = await guard.check(request);
        if (verdict.status === 200 && verdict.user.name !== anonymous.name) this.rooms.enter(request.socket, "known");
        return verdict;
      },
    };
  }

  #watch(): void {
    this.#look = this.options.clock.schedule(LOOK, async () => {
      await this.#renew();
      if (this.server.listening) this.#watch();
    });
  }

  /** Certificates are renewed while the agent runs: new connections get the new one. One look at a time: the last one counts. */
  #renew(): Promise<void> {
    this.#renewing = this.#renewing.then(() => this.#renewOnce());
    return this.#renewing;
  }

  /** Never rejects. */
  async #renewOnce(): Promise<void> {
    try {
      const fresh = await credentials(this.options, this.#signed);
      if (fresh.cert === this.shown.cert && fresh.key === this.shown.key && fresh.ca === this.shown.ca) return;
      this.server.setSecureContext({ ...fresh, ...TLS });
      this.shown = fresh;
    } catch (error) {
      // The files may be half renewed; they are looked at again.
      this.options.log.warn(`the server's new certificate cannot be used: ${errorText(error)}; the old one stays`);
    }
  }
}

function buildNodeApp(
  context: ServerContext,
  guard: Pick<Guard, "check">,
  idle: number,
  serverFactory: (answer: RequestListener) => Server,
): FastifyInstance {
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    routerOptions: { maxParamLength: 512 },
    serverFactory,
  });
  countRequests(app, context, "readwrite");
  app.addHook("onRequest", async (request, reply) => {
    const verdict = await guard.check(request.raw);
    if (verdict.status !== 200) return reply.code(verdict.status).type("text/plain; charset=utf-8").send(verdict.text);
    return undefined;
  });
  app.addHook("onSend", async (_request, reply) => {
    reply.headers(ANSWER_HEADERS);
  });
  app.setErrorHandler((error, request, reply) => {
    const { status, body } = errorAnswer(error);
    if (status >= 500) context.log.error({ err: error, method: request.method, url: request.url }, "A request failed");
    return reply.code(status).type("text/plain; charset=utf-8").send(body.error);
  });
  const streams = new StreamRoom({ ...nodeServer.streams, idle }, context.clock);
  healthRoutes(app, context);
  metricRoutes(app, context, nodeServer);
  readRoutes(app, context, { streams, reads: "whole" });
  statsRoutes(app, context);
  containerLogsRoute(app, context, streams);
  for (const path of ["/runningpods", "/runningpods/"]) {
    app.get(path, async () => ({
      kind: "PodList",
      apiVersion: "v1",
      metadata: {},
      items: context.api.pods().filter(({ status }) => status?.phase === "Running"),
    }));
  }
  return app;
}
