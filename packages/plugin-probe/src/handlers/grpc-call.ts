/**
 * gRPC health probe (grpc.health.v1): one connection, one Check, one timeout over both. The connection belongs to the probe alone: whatever
 * the server does, nothing stays open. (A client library keeps a channel alive that still connects when it is closed.)
 */
import { STATUS_CODES } from "node:http";
import { type ClientHttp2Session, constants, connect as startHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import type { Clock, Timer } from "@hooklet/core";
import { formatDuration } from "@hooklet/core/subsystem";
import { startUnary, type UnaryEnd } from "@hooklet/streams/grpc";
import type { Attempt, GrpcRequest } from "../types.js";
import { definitions } from "./definitions.js";
import { CONNECTION_LOST, grpcOutcome, LONGEST_MESSAGE, streamReset, tooLong } from "./grpc-answer.js";
import { USER_AGENT } from "./http-headers.js";
import { giveUp, secured, whenOver } from "./probe-connection.js";
import { joinHostPort } from "./target.js";
import { type GrpcOutcome, grpcVerdict } from "./verdict.js";

interface Check {
  readonly requestSerialize: (request: object) => Buffer;
  readonly responseDeserialize: (bytes: Buffer) => { readonly status?: unknown };
}

const { requestSerialize, responseDeserialize } = (
  definitions()["grpc.health.v1.Health"] as unknown as Record<"Check", Check>
).Check;

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
  #chunks: Buffer[] = [];
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
    const { host, port, service } = this.request;
    const { session } = connection;
    this.#chunks = [];
    let size = 0;
    try {
      startUnary(
        session,
        {
          path: "/grpc.health.v1.Health/Check",
          message: requestSerialize({ service }),
          timeout: this.#until - this.clock.monotonic(),
          headers: { [constants.HTTP2_HEADER_AUTHORITY]: joinHostPort(host, port), "user-agent": USER_AGENT },
        },
        {
          data: (chunk) => {
            this.#chunks.push(chunk);
            size += chunk.length;
            if (size > 2 * LONGEST_MESSAGE) this.#done(tooLong(size));
          },
          end: (end) => this.#ended(end, session),
        },
      );
      this.#ready = true;
    } catch {
      // GOAWAY came before SETTINGS: the session takes no request.
      this.#failed(connection);
    }
  }

  #ended({ headers, trailers, message, code }: UnaryEnd, { destroyed }: ClientHttp2Session): void {
    if (code === constants.NGHTTP2_REFUSED_STREAM && headers === undefined && !this.#wasRefused) this.#askAgain();
    else if (code !== constants.NGHTTP2_NO_ERROR && !destroyed) this.#done(streamReset(code));
    else if (code !== constants.NGHTTP2_NO_ERROR || headers === undefined) this.#done(CONNECTION_LOST);
    else {
      const statusText = STATUS_CODES[Number(headers[constants.HTTP2_HEADER_STATUS])] ?? "";
      const answer = { headers, trailers, message, body: Buffer.concat(this.#chunks), statusText };
      this.#done(grpcOutcome(answer, (bytes) => String(responseDeserialize(bytes).status)));
    }
  }

  /** The server has not processed the call: gRPC retries it once transparently. */
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
