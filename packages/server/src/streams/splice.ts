/** Passes an upgrade request to the runtime's streaming server, then copies bytes in both directions, for any protocol. */
import type { IncomingMessage } from "node:http";
import net from "node:net";
import type { Duplex } from "node:stream";
import tls from "node:tls";
import type { Clock } from "@hooklet/utils";

/** Milliseconds for the server to accept the connection, and for a closed side's data to reach a client that does not read. */
const PATIENCE = 30_000;
/** Headers of this hop, or credentials, which the runtime does not need. */
const LEFT_OUT = new Set(["host", "authorization", "cookie", "proxy-authorization"]);

/** Rejects when the server cannot be reached, and when the client leaves before that; the client has received nothing by then. */
export async function splice(
  request: IncomingMessage,
  client: Duplex,
  head: Buffer,
  url: string,
  clock: Clock,
): Promise<void> {
  const target = streamingServer(url);
  const server = await connected(target, client, clock);
  server.write(requestHead(request, target));
  if (head.length > 0) server.write(head);
  for (const [from, to] of [
    [client, server],
    [server, client],
  ] as const) {
    // A closed side closes the other one; "close" covers errors. What it sent before is still delivered.
    from.on("error", () => to.destroy());
    from.on("close", () => (from.readableEnded ? endedWithin(to, clock) : to.destroy()));
    from.pipe(to);
  }
}

/** Delivers the remaining data, as long as the peer reads any of it. */
function endedWithin(to: Duplex, clock: Clock): void {
  if (to.destroyed) return;
  let left = to.writableLength;
  const check = (): void => {
    if (to.writableLength >= left) {
      to.destroy();
      return;
    }
    left = to.writableLength;
    patience = clock.schedule(PATIENCE, check);
  };
  let patience = clock.schedule(PATIENCE, check);
  to.once("close", () => patience.cancel());
  to.end(() => to.destroy());
}

function streamingServer(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new Error(
    `the runtime named its streaming server: expected an http or https URL, found ${JSON.stringify(text.slice(0, 200))}`,
  );
}

function connected(url: URL, client: Duplex, clock: Clock): Promise<net.Socket> {
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const port = Number(url.port || (url.protocol === "https:" ? 443 : 80));
  return new Promise((resolve, reject) => {
    // The URL comes from the runtime over its own socket; its streaming server signs its certificate itself.
    const socket =
      url.protocol === "https:" ? tls.connect({ host, port, rejectUnauthorized: false }) : net.connect({ host, port });
    const fail = (why: string): void => {
      timer.cancel();
      client.off("close", onLeft);
      socket.destroy();
      reject(new Error(`the runtime's streaming server at ${url.host} ${why}`));
    };
    const timer = clock.schedule(PATIENCE, () => fail(`did not answer within ${PATIENCE / 1000} s`));
    const onError = (error: Error): void => fail(`cannot be reached: ${error.message}`);
    const onLeft = (): void => fail("is not asked: the client is gone");
    client.once("close", onLeft);
    if (client.destroyed) return onLeft();
    socket.once("error", onError);
    socket.once(url.protocol === "https:" ? "secureConnect" : "connect", () => {
      timer.cancel();
      client.off("close", onLeft);
      socket.off("error", onError);
      socket.setNoDelay(true);
      resolve(socket);
    });
  });
}

/** The request unchanged, but for the host. Node has checked that no header contains a line break. */
function requestHead({ method = "GET", rawHeaders }: IncomingMessage, { host, pathname, search }: URL): string {
  const lines = [`${method} ${pathname}${search} HTTP/1.1`, `Host: ${host}`];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = rawHeaders[i] as string;
    if (!LEFT_OUT.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[i + 1]}`);
  }
  return `${lines.join("\r\n")}\r\n\r\n`;
}
