/**
 * ExecSync: the output of a probe is up to 16 MiB, and 10 KiB of it count. All calls share one connection, which is none of grpc-js: that would
 * take each answer in whole, several times over, before its caller sees it.
 */
import { type ClientHttp2Session, type ClientHttp2Stream, constants, connect as startHttp2 } from "node:http2";
import { connect, type Socket } from "node:net";
import type { Clock } from "@hooklet/core";
import { EXEC_SYNC_BYTES } from "@hooklet/core/host";
import { type Fields, startUnary, type UnaryCall, type UnaryEnd } from "@hooklet/streams/grpc";
import { CallError, Code } from "../call-errors.js";
import type { Answers } from "../wire.js";
import { ExecSyncAnswer, NoAnswer } from "./answer.js";

/** Bytes of the largest answer that the kubelet takes of a runtime (maxMsgSize of k8s.io/cri-client). */
export const LARGEST_ANSWER = 16 * 1024 * 1024;
/** A node runs some hundred probes at once; Node's own default is 100, until a server names a number, and Go's names none. */
const MOST_CALLS = 10_000;
const RPC = "ExecSync";

interface Connection {
  readonly session: ClientHttp2Session;
  readonly socket: Socket;
  connected: boolean;
  error?: Error;
}

export class ExecSyncClient {
  #connection: Connection | undefined;

  /** @param socket path */
  constructor(
    private readonly socket: string,
    private readonly clock: Clock,
  ) {}

  /** Rejects with CallError. */
  call(call: UnaryCall): Promise<Answers["ExecSync"]> {
    return new Promise((resolve, reject) => {
      const connection = this.#connect();
      const answer = new ExecSyncAnswer({ keep: EXEC_SYNC_BYTES, most: LARGEST_ANSWER });
      let stream: ClientHttp2Stream | undefined;
      const fail = (code: number, text: string): void => {
        over.cancel();
        stream?.close(constants.NGHTTP2_CANCEL);
        reject(new CallError(RPC, code, text));
      };
      const over = this.clock.schedule(call.timeout, () => fail(Code.DEADLINE_EXCEEDED, "context deadline exceeded"));
      const read = (work: () => void): void => {
        try {
          work();
        } catch (error) {
          if (!(error instanceof NoAnswer)) throw error;
          fail(Code[error.code], error.message);
        }
      };
      const end = ({ headers, trailers, message }: UnaryEnd): void => {
        const failure = headers === undefined ? undefined : failureOf({ ...headers, ...trailers }, message);
        // What the connection has to say comes first.
        if (headers === undefined) setImmediate(() => fail(Code.UNAVAILABLE, lost(connection)));
        else if (failure !== undefined) fail(failure.code, failure.text);
        else
          read(() => {
            const result = answer.result();
            over.cancel();
            resolve(result);
          });
      };
      stream = startUnary(connection.session, call, { data: (chunk) => read(() => answer.take(chunk)), end });
    });
  }

  /** Calls that are under way end as those of a connection that is gone. */
  close(): void {
    this.#connection?.session.destroy();
  }

  /** The connection, or a new one where the runtime has ended it. */
  #connect(): Connection {
    const before = this.#connection;
    if (before !== undefined && !before.session.closed && !before.session.destroyed) return before;
    const socket = connect({ path: this.socket });
    const session = startHttp2("http://localhost", {
      createConnection: () => socket,
      peerMaxConcurrentStreams: MOST_CALLS,
      settings: { enablePush: false },
    });
    const connection: Connection = { session, socket, connected: false };
    this.#connection = connection;
    socket.once("connect", () => {
      connection.connected = true;
    });
    socket.on("error", (error) => {
      connection.error = error;
    });
    // Its streams end with it, and say so.
    session.on("error", () => undefined);
    session.on("close", () => socket.destroy());
    return connection;
  }
}

function lost({ connected, error }: Connection): string {
  return connected ? "Connection dropped" : `No connection established. Last error: ${error?.message}`;
}

/** Why there is no message, by headers and trailers; undefined: there should be one. */
function failureOf(fields: Fields, text: string): { readonly code: number; readonly text: string } | undefined {
  const http = Number(fields[constants.HTTP2_HEADER_STATUS]);
  if (http !== 200) return { code: Code.UNKNOWN, text: `unexpected HTTP status code received from server: ${http}` };
  const status = fields["grpc-status"];
  if (status === undefined) return { code: Code.UNAVAILABLE, text: "Connection dropped" };
  const code = Number(status);
  return code === Code.OK ? undefined : { code, text };
}
