/**
 * What a connection brings, in small pieces for the HTTP parser. Node reads up to 64 KiB at once and makes an object of each request
 * in them, fifteen hundred where they are short, even when the second one has ended the connection: some 30 ms and 3 MiB for each read of anybody.
 */
import type { EventEmitter } from "node:events";
import type { Socket } from "node:net";

/** Bytes. The shortest request has 18. */
const PIECE = 512;

/** Every connection of a server. @param event upon which the server's own parser takes it: it must listen already */
export function inPieces(server: EventEmitter, event: "connection" | "secureConnection"): void {
  server.on(event, (socket: Socket) => {
    const push = socket.push.bind(socket);
    socket.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
      if (!(chunk instanceof Uint8Array)) return push(chunk, encoding);
      let goesOn = true;
      for (let from = 0; from < chunk.length && !socket.destroyed; from += PIECE) {
        // No longer HTTP since the last piece.
        if (!Object.hasOwn(socket, "push")) return push(chunk.subarray(from));
        goesOn = push(chunk.subarray(from, from + PIECE));
      }
      return goesOn;
    };
    // The parser takes bytes past the socket until somebody else has listened to it.
    const listener = (): void => undefined;
    socket.on("data", listener).off("data", listener);
  });
}

/** What is upgraded is no longer the parser's. To be called when the server has its listeners. */
export function wholeOnceUpgraded(server: EventEmitter): void {
  // A server that has none answers an upgrade as any other request.
  if (server.listenerCount("upgrade") === 0) return;
  server.prependListener("upgrade", (_request: unknown, socket: Socket) => {
    Reflect.deleteProperty(socket, "push");
  });
}
