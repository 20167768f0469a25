/** A connection to a runtime's streaming server. SPDY/3.1: containerd 1.6 to 2 and CRI-O all speak it, and it can end an input. */

import http from "node:http";
import https from "node:https";
import { isIP } from "node:net";
import { networkInterfaces } from "node:os";
import type { Duplex } from "node:stream";
import { type Clock, errorText } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
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

// Where the runtime serves streams: it is reached by a socket of this machine, so its streaming server is on this machine as well.

const EXPECTED = "the runtime named its streaming server: expected";

/**
 * The URL of a streaming server on this machine. A command's input and forwarded data must not leave the machine.
 *
 * @param addresses of this machine
 * @throws RuntimeError unknown
 */
export function serverUrl(text: string, addresses: () => readonly string[] = ownAddresses): URL {
  const found = JSON.stringify(text.slice(0, 200));
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== "http:" && url?.protocol !== "https:")
    throw new RuntimeError("unknown", `${EXPECTED} an http or https URL, found ${found}`);
  if (!isHere(url.hostname, addresses))
    throw new RuntimeError(
      "unknown",
      `${EXPECTED} an address of this machine, found ${found}. Check its configuration.`,
    );
  return url;
}

/** A URL has its addresses in one form each. Only the name that never leaves the machine is resolved. */
function isHere(host: string, addresses: () => readonly string[]): boolean {
  const address = host.replace(/^\[(.*)\]$/, "$1");
  if (isIP(address) === 0) return address === "localhost";
  if (address === "::1" || address === "::" || address === "0.0.0.0" || address.startsWith("127.")) return true;
  return addresses().includes(address);
}

function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address));
}
