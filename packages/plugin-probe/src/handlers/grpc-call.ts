/**
 * gRPC health probe (grpc.health.v1): one connection, one Check, one timeout over both. The connection is the probe's own: whatever the
 * server does, nothing is open afterwards. (A client library keeps a channel alive that still connects when it is closed.)
 */
import { STATUS_CODES } from "node:http";
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  connect as startHttp2,
} from "node:http2";
import { connect, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { fromJSON } from "@grpc/proto-loader";
import type { Clock, Timer } from "@hooklet/core";
import { formatDuration } from "@hooklet/core/subsystem";
import type { Attempt, GrpcRequest } from "../types.js";
import { CONNECTION_LOST, grpcOutcome, LONGEST_MESSAGE, streamReset, tooLong } from "./grpc-answer.js";
import { USER_AGENT } from "./http-headers.js";
import { giveUp, secured, whenOver } from "./probe-connection.js";
import { joinHostPort } from "./target.js";
import { type GrpcOutcome, grpcVerdict } from "./verdict.js";

/** grpc/health/v1/health.proto, the part that is used. */
const health = fromJSON(
  {
    nested: {
      HealthCheckRequest: { fields: { service: { type: "string", id: 1 } } },
      HealthCheckResponse: {
        fields: { status: { type: "ServingStatus", id: 1 } },
        nested: { ServingStatus: { values: { UNKNOWN: 0, SERVING: 1, NOT_SERVING: 2, SERVICE_UNKNOWN: 3 } } },
      },
      Health: {
        methods: { Check: { requestType: "HealthCheckRequest", responseType: "HealthCheckResponse", comment: "" } },
      },
    },
  },
  { enums: String, defaults: true },
);

interface Check {
  readonly requestSerialize: (request: object) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => { readonly status?: unknown };
}

const { requestSerialize, responseDeserialize } = (health.Health as unknown as Record<"Check", Check>).Check;

/** Milliseconds from a connection that failed to the next try; it doubles up to the longest. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 500;

/** Never rejects. */
export function grpcCall(clock: Clock, request: GrpcRequest): Promise<Attempt> {
  return new Promise((resolve) => new GrpcCall(clock, request, resolve).begin());
}

interface Connection {
  readonly session: ClientHttp2Session;
  readonly socket: Socket;
  readonly tls: TLSSocket | undefined;
}

class GrpcCall {
  readonly #until: number;
  readonly #timeout: Timer;
  #retry: Timer | undefined;
  #pause = FIRST_PAUSE;
  #connection: Connection | undefined;
  #ready = false;
  #wasRefused = false;
  #settled = false;

  constructor(
    private readonly clock: Clock,
    private readonly request: GrpcRequest,
    private readonly resolve: (attempt: Attempt) => void,
  ) {
    const { timeoutMilliseconds } = request;
    this.#until = clock.monotonic() + timeoutMilliseconds;
    this.#timeout = whenOver(clock, timeoutMilliseconds, () =>
      this.#done({ type: this.#ready ? "no-answer" : "no-connection" }),
    );
  }

  /** A connection that fails before the server has sent its settings is tried again until the time is over. */
  begin(): void {
    const { host, port, tls: isTls } = this.request;
    if (port < 0 || port > 65_535) {
      this.#done({ type: "not-connected", text: `invalid port ${port}` });
      return;
    }
    // Go dials this machine where there is no host.
    const socket = connect({ host: host === "" ? "localhost" : host, port, noDelay: true });
    const tls = isTls ? secured(socket, host, ["h2"]) : undefined;
    const session = startHttp2(`${isTls ? "https" : "http"}://localhost`, {
      createConnection: () => tls ?? socket,
      settings: { enablePush: false },
    });
    const connection = { session, socket, tls };
    this.#connection = connection;
    const failed = (): void => this.#failed(connection);
    for (const one of [socket, tls, session]) one?.on("error", failed);
    for (const one of [socket, session]) one.on("close", failed);
    session.once("remoteSettings", () => this.#connected(connection));
  }

  #failed(connection: Connection): void {
    if (this.#connection !== connection) return;
    if (this.#ready) {
      // What the stream has to say of it comes first, and may be that the call is made once more, on another connection.
      setImmediate(() => {
        if (this.#connection === connection) this.#done(CONNECTION_LOST);
      });
      return;
    }
    this.#release();
    this.#retry = this.clock.schedule(this.#pause, () => this.begin());
    this.#pause = Math.min(2 * this.#pause, LONGEST_PAUSE);
  }

  #connected(connection: Connection): void {
    if (this.#connection !== connection) return;
    try {
      const stream = connection.session.request(this.#headers());
      this.#ready = true;
      this.#read(stream, connection.session);
      stream.end(framed(requestSerialize({ service: this.request.service })));
    } catch {
      // It says goodbye before it has said hello: a session that takes no request.
      this.#failed(connection);
    }
  }

  #headers(): OutgoingHttpHeaders {
    const { host, port } = this.request;
    return {
      [constants.HTTP2_HEADER_METHOD]: "POST",
      [constants.HTTP2_HEADER_PATH]: "/grpc.health.v1.Health/Check",
      [constants.HTTP2_HEADER_AUTHORITY]: joinHostPort(host, port),
      "content-type": "application/grpc",
      "user-agent": USER_AGENT,
      "grpc-timeout": `${Math.max(1, Math.round(this.#until - this.clock.monotonic()))}m`,
      te: "trailers",
    };
  }

  #read(stream: ClientHttp2Stream, session: ClientHttp2Session): void {
    let headers: IncomingHttpHeaders | undefined;
    let trailers: IncomingHttpHeaders | undefined;
    const chunks: Buffer[] = [];
    let size = 0;
    stream.on("response", (fields, flags) => {
      headers = fields;
      if ((flags & constants.NGHTTP2_FLAG_END_STREAM) !== 0) trailers = fields;
    });
    stream.on("trailers", (fields) => {
      trailers = fields;
    });
    stream.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > 2 * LONGEST_MESSAGE) this.#done(tooLong(size));
    });
    // "close" follows and tells more.
    stream.on("error", () => {});
    stream.on("close", () => {
      const code = stream.rstCode ?? constants.NGHTTP2_NO_ERROR;
      if (code === constants.NGHTTP2_REFUSED_STREAM && headers === undefined && !this.#wasRefused) this.#askAgain();
      else if (code !== constants.NGHTTP2_NO_ERROR && !session.destroyed) this.#done(streamReset(code));
      else if (code !== constants.NGHTTP2_NO_ERROR || headers === undefined) this.#done(CONNECTION_LOST);
      else {
        const statusText = STATUS_CODES[Number(headers[constants.HTTP2_HEADER_STATUS])] ?? "";
        const answer = { headers, trailers, body: Buffer.concat(chunks), statusText };
        this.#done(grpcOutcome(answer, (message) => String(responseDeserialize(message).status)));
      }
    });
  }

  /** The server has not looked at the call: gRPC makes it once more by itself. */
  #askAgain(): void {
    if (this.#settled) return;
    this.#wasRefused = true;
    this.#ready = false;
    this.#release();
    this.begin();
  }

  #done(outcome: GrpcOutcome): void {
    if (this.#settled) return;
    this.#settled = true;
    this.#timeout.cancel();
    this.#retry?.cancel();
    this.#release();
    const { host, port, timeoutMilliseconds } = this.request;
    this.resolve(grpcVerdict(outcome, joinHostPort(host, port), formatDuration(timeoutMilliseconds / 1000)));
  }

  #release(): void {
    if (this.#connection === undefined) return;
    const { session, socket, tls } = this.#connection;
    this.#connection = undefined;
    giveUp(socket, this.clock, tls);
    session.destroy();
  }
}

/** Not compressed. */
function framed(message: Buffer): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}
