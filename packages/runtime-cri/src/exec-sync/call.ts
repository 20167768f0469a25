/**
 * ExecSync over a connection of its own. A gRPC library takes an answer in whole before anybody sees it: the output of a probe is up to
 * 16 MiB, several times over while it is put together, and 10 KiB of it count.
 */
import { type ClientHttp2Session, constants, type IncomingHttpHeaders, connect as startHttp2 } from "node:http2";
import { connect } from "node:net";
import type { Clock } from "@hooklet/core";
import { EXEC_SYNC_BYTES } from "@hooklet/core/host";
import { CallError, Code } from "../call-error.js";
import type { Answers } from "../wire.js";
import { ExecSyncAnswer, NoAnswer } from "./answer.js";

/** Bytes of the largest answer that the kubelet takes of a runtime (maxMsgSize of k8s.io/cri-client). */
export const LARGEST_ANSWER = 16 * 1024 * 1024;
/** What gRPC can say in eight digits. */
const LONGEST_TIMEOUT = 99_999_999;
const RPC = "ExecSync";

export interface ExecSyncCall {
  readonly path: string;
  /** The request, in protobuf. */
  readonly message: Buffer;
  /** Milliseconds. */
  readonly timeout: number;
}

export class ExecSyncClient {
  readonly #open = new Set<ClientHttp2Session>();

  /** @param socket path */
  constructor(
    private readonly socket: string,
    private readonly clock: Clock,
  ) {}

  /** Rejects with CallError. */
  call({ path, message, timeout }: ExecSyncCall): Promise<Answers["ExecSync"]> {
    const { clock } = this;
    return new Promise((resolve, reject) => {
      const socket = connect({ path: this.socket });
      const session = startHttp2("http://localhost", {
        createConnection: () => socket,
        settings: { enablePush: false },
      });
      this.#open.add(session);
      const over = clock.schedule(timeout, () => fail(Code.DEADLINE_EXCEEDED, "context deadline exceeded"));
      const settle = (): void => {
        over.cancel();
        this.#open.delete(session);
        session.destroy();
        socket.destroy();
      };
      const fail = (code: number, text: string): void => {
        settle();
        reject(new CallError(RPC, code, text));
      };
      let connected = false;
      socket.once("connect", () => {
        connected = true;
      });
      const lost = (error?: Error): void => {
        const why = connected ? "Connection dropped" : `No connection established. Last error: ${error?.message}`;
        fail(Code.UNAVAILABLE, why);
      };
      socket.once("error", lost);
      // Its stream tells of the same.
      session.on("error", () => undefined);
      const stream = session.request({
        [constants.HTTP2_HEADER_METHOD]: "POST",
        [constants.HTTP2_HEADER_PATH]: path,
        "content-type": "application/grpc",
        "grpc-timeout": `${Math.min(Math.max(1, Math.ceil(timeout)), LONGEST_TIMEOUT)}m`,
        te: "trailers",
      });
      const answer = new ExecSyncAnswer({ keep: EXEC_SYNC_BYTES, most: LARGEST_ANSWER });
      let said: IncomingHttpHeaders | undefined;
      const note = (fields: IncomingHttpHeaders): void => {
        said = { ...said, ...fields };
      };
      const read = (work: () => void): void => {
        try {
          work();
        } catch (error) {
          if (!(error instanceof NoAnswer)) throw error;
          fail(Code[error.code], error.message);
        }
      };
      stream.on("response", note);
      stream.on("trailers", note);
      stream.on("data", (chunk: Buffer) => read(() => answer.take(chunk)));
      // "close" follows and tells more.
      stream.on("error", () => undefined);
      stream.on("close", () => {
        // What the connection has to say comes first.
        if (said === undefined) return setImmediate(lost);
        const failure = failureOf(said);
        if (failure !== undefined) return fail(failure.code, failure.text);
        read(() => {
          const result = answer.result();
          settle();
          resolve(result);
        });
      });
      const prefix = Buffer.alloc(5);
      prefix.writeUInt32BE(message.length, 1);
      stream.end(Buffer.concat([prefix, message]));
    });
  }

  /** Calls that are under way end as those of a connection that is gone. */
  close(): void {
    for (const session of this.#open) session.destroy();
  }
}

/** Why there is no message, by headers and trailers; undefined: there should be one. */
function failureOf(said: IncomingHttpHeaders): { readonly code: number; readonly text: string } | undefined {
  const http = Number(said[constants.HTTP2_HEADER_STATUS]);
  if (http !== 200) return { code: Code.UNKNOWN, text: `unexpected HTTP status code received from server: ${http}` };
  const status = said["grpc-status"];
  if (status === undefined) return { code: Code.UNAVAILABLE, text: "Connection dropped" };
  const code = Number(status);
  return code === Code.OK ? undefined : { code, text: decoded(String(said["grpc-message"] ?? "")) };
}

/** Percent signs stand for bytes; what is no such number stays. */
function decoded(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll("%", ""), "hex").toString("utf8"),
  );
}
