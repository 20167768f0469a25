/** A connection to a runtime's streaming server. SPDY/3.1: containerd 1.6 to 2 and CRI-O all speak it, and it can end an input. */
import http from "node:http";
import https from "node:https";
import type { Duplex } from "node:stream";
import { type Clock, errorText } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import { serverUrl } from "./server-url.js";
import { SpdyClient } from "./spdy-client.js";

/** Milliseconds for the server to accept. */
const PATIENCE = 30_000;

/** @throws RuntimeError unavailable; unknown for what is no URL of such a server */
export async function connect(url: string, protocol: string, clock: Clock): Promise<SpdyClient> {
  return new SpdyClient(await upgrade(serverUrl(url), protocol, clock), clock);
}

/** Prepares a connection for use, and closes it when that fails. */
export async function opening<T>(connection: SpdyClient, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    connection.close();
    throw error;
  }
}

function upgrade(url: URL, protocol: string, clock: Clock): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const headers = { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": protocol };
    const options = { method: "POST", headers, agent: false } as const;
    // The URL comes from the runtime over its own socket; its streaming server signs its certificate itself.
    const request =
      url.protocol === "https:"
        ? https.request(url, { ...options, rejectUnauthorized: false })
        : http.request(url, options);
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
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    request.end();
  });
}
