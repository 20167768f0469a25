/** One HTTP request and its answer, on a connection that is closed afterwards. */
import { type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { connect, type Socket } from "node:net";
import type { TLSSocket } from "node:tls";
import { type Clock, errorText } from "@hooklet/core";
import { dialError, dialTimeout, exchangeError } from "./go-errors.js";
import type { Headers } from "./http-headers.js";
import { giveUp, secured, whenOver } from "./probe-connection.js";
import type { Url } from "./target.js";
import { MAX_OUTPUT } from "./verdict.js";

const MAX_HEADER_BYTES = 1024 * 1024;
const AWAITING = "(Client.Timeout exceeded while awaiting headers)";

interface Exchange {
  readonly url: Url;
  readonly host: string;
  readonly headers: Headers;
  /** What is left of the timeout. */
  readonly milliseconds: number;
}

type Answer =
  | { readonly kind: "answered"; readonly status: number; readonly location: string | undefined; readonly body: string }
  /** No answer, and why. */
  | { readonly kind: "failed"; readonly why: string }
  /** An answer whose body broke off. */
  | { readonly kind: "broken"; readonly why: string };

const TIMED_OUT = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
const BODY_TIMED_OUT = "context deadline exceeded (Client.Timeout or context cancellation while reading body)";

/** Never rejects. No proxy, no keep-alive, no compression, certificates not verified. */
export function exchange(clock: Clock, { url, host, headers, milliseconds }: Exchange): Promise<Answer> {
  return new Promise((resolve) => {
    let raw: Socket | undefined;
    let tls: TLSSocket | undefined;
    let connected = false;
    let ends = "";
    let response: IncomingMessage | undefined;
    const open = (): Socket => {
      const socket = connect({ host: url.host, port: url.port, noDelay: true });
      socket.once("connect", () => {
        connected = true;
        // A connection that is gone no longer knows them.
        ends = endsOf(socket);
      });
      raw = socket;
      if (url.scheme === "https") tls = secured(socket, url.host);
      return tls ?? socket;
    };
    const done = (answer: Answer): void => {
      timer.cancel();
      request?.removeAllListeners().on("error", ignore);
      response?.removeAllListeners().on("error", ignore);
      if (raw !== undefined) giveUp(raw, clock, tls);
      resolve(answer);
    };
    const timer = whenOver(clock, milliseconds, () => {
      if (response !== undefined) done({ kind: "broken", why: BODY_TIMED_OUT });
      else if (connected) done({ kind: "failed", why: TIMED_OUT });
      else done({ kind: "failed", why: `${dialTimeout(url.host, url.port)} ${AWAITING}` });
    });
    let request: ClientRequest | undefined;
    try {
      // Node validates path and headers before it opens a connection: an invalid request leaves nothing open.
      request = httpRequest({
        createConnection: open,
        path: `${url.path === "" ? "/" : url.path}${url.query}`,
        headers: { Host: bytes(host), ...single(headers), Connection: "close" },
        setHost: false,
        maxHeaderSize: MAX_HEADER_BYTES,
      });
    } catch (error) {
      done({ kind: "failed", why: errorText(error) });
      return;
    }
    request.once("error", (error) => {
      const why = connected ? exchangeError(error, ends) : dialError(error, url.host, url.port);
      done({ kind: "failed", why });
    });
    request.once("response", (answered) => {
      response = answered;
      readBody(answered, done);
    });
    request.end();
  });
}

/** The verdict is known by then. */
function ignore(): void {}

/** Reads at most MAX_OUTPUT bytes; what is longer is cut there. */
function readBody(response: IncomingMessage, done: (answer: Answer) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  const answered = (): void =>
    done({
      kind: "answered",
      status: response.statusCode ?? 0,
      location: response.headers.location,
      body: chunks.length === 0 ? "" : Buffer.concat(chunks).subarray(0, MAX_OUTPUT).toString("utf8"),
    });
  response.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_OUTPUT) answered();
  });
  response.once("end", answered);
  response.once("error", () => done({ kind: "broken", why: "unexpected EOF" }));
}

function single(headers: Headers): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, values]) => [
      name,
      values.length === 1 ? bytes(values[0] ?? "") : values.map(bytes),
    ]),
  );
}

/** Go sends a header's UTF-8 as it is; Node takes each character for a byte. */
function bytes(text: string): string {
  return Buffer.from(text).toString("latin1");
}

function endsOf({ localAddress, localPort, remoteAddress, remotePort }: Socket): string {
  return `${localAddress}:${localPort}->${remoteAddress}:${remotePort}`;
}
