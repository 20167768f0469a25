/** One request and its answer, on a connection of its own that is given up afterwards. */
import { request as httpRequest, type IncomingMessage } from "node:http";
import { connect, isIP, type Socket } from "node:net";
import { type TLSSocket, connect as tlsConnect } from "node:tls";
import type { Clock } from "@hooklet/core";
import { giveUp } from "./close.js";
import { type Answer, BODY_TIMED_OUT, type Exchange, TIMED_OUT } from "./exchange.js";
import { dialError, dialTimeout, exchangeError } from "./go-errors.js";
import { h2cExchange } from "./h2c.js";
import type { Headers } from "./http-headers.js";
import { MAX_OUTPUT } from "./verdict.js";

const MAX_HEADER_BYTES = 1024 * 1024;
const AWAITING = "(Client.Timeout exceeded while awaiting headers)";

/** Never rejects. No proxy, no keep-alive, no compression asked for, certificates not verified. */
export function exchange(clock: Clock, what: Exchange): Promise<Answer> {
  return what.h2c && what.url.scheme === "http" ? h2cExchange(clock, what) : http1(clock, what);
}

function http1(clock: Clock, { url, host, headers, milliseconds }: Exchange): Promise<Answer> {
  return new Promise((resolve) => {
    const raw = connect({ host: url.host, port: url.port, noDelay: true });
    const tls = url.scheme === "https" ? secured(raw, url.host) : undefined;
    let connected = false;
    let ends = "";
    let response: IncomingMessage | undefined;
    raw.once("connect", () => {
      connected = true;
      // A connection that is gone no longer knows them.
      ends = endsOf(raw);
    });
    const done = (answer: Answer): void => {
      timer.cancel();
      request.removeAllListeners().on("error", ignore);
      response?.removeAllListeners().on("error", ignore);
      giveUp(raw, clock, tls);
      resolve(answer);
    };
    const timer = clock.schedule(milliseconds, () => {
      if (response !== undefined) done({ kind: "broken", why: BODY_TIMED_OUT });
      else if (connected) done({ kind: "failed", why: TIMED_OUT });
      else done({ kind: "failed", why: `${dialTimeout(url.host, url.port)} ${AWAITING}` });
    });
    const request = httpRequest({
      createConnection: () => tls ?? raw,
      path: `${url.path === "" ? "/" : url.path}${url.query}`,
      headers: { Host: host, ...single(headers), Connection: "close" },
      setHost: false,
      maxHeaderSize: MAX_HEADER_BYTES,
    });
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

function secured(raw: Socket, host: string): TLSSocket {
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return tlsConnect({ socket: raw, rejectUnauthorized: false, ...servername });
}

function single(headers: Headers): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, values]) => [name, values.length === 1 ? (values[0] ?? "") : [...values]]),
  );
}

function endsOf({ localAddress, localPort, remoteAddress, remotePort }: Socket): string {
  return `${localAddress}:${localPort}->${remoteAddress}:${remotePort}`;
}
