/** HTTP/2 without TLS, by prior knowledge: beyond the kubelet, for servers that speak nothing else. */
import { type ClientHttp2Stream, connect, constants } from "node:http2";
import { type Clock, errorText } from "@hooklet/core";
import { type Answer, BODY_TIMED_OUT, type Exchange, TIMED_OUT } from "./exchange.js";
import { dialError } from "./go-errors.js";
import { joinHostPort } from "./target.js";
import { MAX_OUTPUT } from "./verdict.js";
import { whenOver } from "./when-over.js";

/** Never rejects. */
export function h2cExchange(clock: Clock, { url, host, headers, milliseconds }: Exchange): Promise<Answer> {
  return new Promise((resolve) => {
    const session = connect(`http://${joinHostPort(url.host, url.port)}`);
    let connected = false;
    let status: number | undefined;
    let location: string | undefined;
    const chunks: Buffer[] = [];
    let size = 0;
    const done = (answer: Answer): void => {
      timer.cancel();
      session.removeAllListeners();
      session.on("error", () => {});
      session.destroy();
      resolve(answer);
    };
    const answered = (): void => {
      const body = Buffer.concat(chunks).subarray(0, MAX_OUTPUT).toString("utf8");
      done({ kind: "answered", status: status ?? 0, location, body });
    };
    const failed = (error: Error): void => {
      if (status !== undefined) done({ kind: "broken", why: error.message });
      else done({ kind: "failed", why: connected ? error.message : dialError(error, url.host, url.port) });
    };
    const timer = whenOver(clock, milliseconds, () => {
      done(status === undefined ? { kind: "failed", why: TIMED_OUT } : { kind: "broken", why: BODY_TIMED_OUT });
    });
    session.once("connect", () => {
      connected = true;
    });
    session.once("error", failed);
    const lower = Object.fromEntries(
      Object.entries(headers).map(([name, values]) => [name.toLowerCase(), [...values]]),
    );
    let stream: ClientHttp2Stream;
    try {
      stream = session.request({
        [constants.HTTP2_HEADER_METHOD]: "GET",
        [constants.HTTP2_HEADER_PATH]: `${url.path === "" ? "/" : url.path}${url.query}`,
        [constants.HTTP2_HEADER_AUTHORITY]: host,
        ...lower,
      });
    } catch (error) {
      done({ kind: "failed", why: errorText(error) });
      return;
    }
    stream.once("response", (answer) => {
      status = Number(answer[constants.HTTP2_HEADER_STATUS]);
      location = [answer[constants.HTTP2_HEADER_LOCATION] ?? []].flat()[0];
    });
    stream.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size > MAX_OUTPUT) answered();
    });
    stream.once("end", () => {
      if (status !== undefined) answered();
    });
    stream.once("error", failed);
    stream.once("close", () => {
      if (status === undefined) done({ kind: "failed", why: "EOF" });
    });
    stream.end();
  });
}
