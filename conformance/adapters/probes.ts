/** What the probe topics share: long texts written short, servers that answer as a case says. */

import type { AddressInfo } from "node:net";
import { createServer, type Server, type Socket } from "node:net";

export type LongText = string | { readonly repeat: string; readonly count: number };

export function longText(text: LongText): string {
  return typeof text === "string" ? text : text.repeat.repeat(text.count);
}

/** Lets `use` talk to a server on 127.0.0.1; the server and all its connections are gone afterwards. */
export async function withServer<T>(answer: (socket: Socket) => void, use: (port: number) => Promise<T>): Promise<T> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => socket.destroy());
    answer(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await use((server.address() as AddressInfo).port);
  } finally {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** A port of 127.0.0.1 on which nobody listens. */
export function freePort(): Promise<number> {
  return withServer(
    () => {},
    async (port) => port,
  );
}
