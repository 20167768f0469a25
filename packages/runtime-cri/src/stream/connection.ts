/** A connection to a runtime's streaming server: SPDY/3.1, which containerd 1.6 to 2 and CRI-O all speak. */
import http from "node:http";
import https from "node:https";
import type { Duplex } from "node:stream";
import { type Clock, errorText, RuntimeError } from "@hooklet/core";
import transport, { type SpdyConnection } from "spdy-transport";

/** Milliseconds for the server to accept. */
const PATIENCE = 30_000;

/**
 * SETTINGS (initial window) and WINDOW_UPDATE (session) as a server sends them that takes everything: Kubernetes' server
 * counts no windows and so never opens them, while this client would wait for that after 64 KiB.
 */
const WIDE_OPEN = Buffer.from("800300040000000c00000001000000077fff00008003000900000008000000007ff00000", "hex");

export interface StreamConnection {
  /** @param headers `streamType`, and for port-forward `port` and `requestID` */
  open(headers: Readonly<Record<string, string>>): Promise<Duplex>;
  /** Called once when the connection ended, from either side. */
  onClose(listener: () => void): void;
  close(): void;
}

/** @throws RuntimeError */
export async function connect(url: string, protocol: string, clock: Clock): Promise<StreamConnection> {
  const socket = await upgrade(new URL(url), protocol, clock);
  const connection = transport.connection.create(socket, { protocol: "spdy", isServer: false });
  connection.start(3.1);
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  // A broken connection ends its streams, and with them whoever reads.
  connection.on("error", () => socket.destroy());
  return {
    open: (headers) => openStream(connection, headers),
    onClose: (listener) => void closed.then(listener),
    close: () => socket.destroy(),
  };
}

function openStream(connection: SpdyConnection, headers: Readonly<Record<string, string>>): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const stream = connection.request({ method: "POST", path: "/", host: "localhost", headers }, (error) => {
      if (error === null || error === undefined) resolve(stream);
      else reject(new RuntimeError("unavailable", `the runtime's streaming server took no stream: ${errorText(error)}`));
    });
  });
}

function upgrade(url: URL, protocol: string, clock: Clock): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const headers = { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": protocol };
    // The URL comes from the runtime over its own socket; its streaming server signs its certificate itself.
    const request =
      url.protocol === "https:"
        ? https.request(url, { method: "POST", headers, agent: false, rejectUnauthorized: false })
        : http.request(url, { method: "POST", headers, agent: false });
    const fail = (why: string): void => {
      timer.cancel();
      request.destroy();
      reject(new RuntimeError("unavailable", `the runtime's streaming server at ${url.host} ${why}`));
    };
    const timer = clock.schedule(PATIENCE, () => fail(`did not answer within ${PATIENCE / 1000} s`));
    request.on("error", (error) => fail(`cannot be reached: ${errorText(error)}`));
    request.on("response", ({ statusCode }) => fail(`refused: expected 101 Switching Protocols, found ${statusCode}`));
    request.on("upgrade", (_response, socket, head) => {
      timer.cancel();
      socket.unshift(Buffer.concat([WIDE_OPEN, head]));
      resolve(socket);
    });
    request.end();
  });
}
