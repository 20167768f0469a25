/** Takes an upgrade to SPDY/3.1 and says which of the client's protocols is spoken. */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { SpdyConnection, type TakeStream } from "./connection.js";

const HEADER = "x-stream-protocol-version";

/** The first of the client's protocols that is known. Undefined: none is, or it is no upgrade to SPDY. */
export function spdyProtocol(request: Pick<IncomingMessage, "headers">, known: readonly string[]): string | undefined {
  if (request.headers.upgrade?.toLowerCase() !== "spdy/3.1") return undefined;
  const offered = [request.headers[HEADER] ?? []].flat().flatMap((one) => one.split(",").map((text) => text.trim()));
  return offered.find((protocol) => known.includes(protocol));
}

/** `head`: what the client sent already. */
export function acceptSpdy(socket: Duplex, head: Buffer, protocol: string, take: TakeStream): SpdyConnection {
  const lines = [
    "HTTP/1.1 101 Switching Protocols",
    "Connection: Upgrade",
    "Upgrade: SPDY/3.1",
    `X-Stream-Protocol-Version: ${protocol}`,
  ];
  socket.write(`${lines.join("\r\n")}\r\n\r\n`);
  if (head.length > 0) socket.unshift(head);
  return new SpdyConnection(socket, take);
}
