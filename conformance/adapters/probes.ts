/** What the probe topics share: long texts written short, servers that answer as a case says. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

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

/**
 * A port of 127.0.0.1 that takes no connection and refuses none: a process that never accepts, its queue full.
 * @throws Error when the process says no port
 */
export async function withBlackhole<T>(use: (port: number) => Promise<T>): Promise<T> {
  const child = spawn(process.execPath, ["-e", NEVER_ACCEPTS], { stdio: ["ignore", "pipe", "inherit"] });
  const waiting: Socket[] = [];
  try {
    const port = Number(String(await once(child.stdout, "data")));
    for (let i = 0; i < 4; i++) {
      const socket = connect(port, "127.0.0.1");
      socket.on("error", () => {});
      waiting.push(socket);
    }
    await Promise.race(waiting.slice(0, 1).map((socket) => once(socket, "connect")));
    return await use(port);
  } finally {
    for (const socket of waiting) socket.destroy();
    child.kill("SIGKILL");
  }
}

const NEVER_ACCEPTS = `
const server = require("node:net").createServer();
server.listen({ port: 0, host: "127.0.0.1", backlog: 1 }, () => {
  require("node:fs").writeSync(1, String(server.address().port));
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});`;

/** A closed port of 127.0.0.1: none of those that the system gives to programs that ask for any. */
export const CLOSED_PORT = 1;

/**
 * Milliseconds for a probe of a server that answers at once: such a case says nothing of time, and the machine may be busy. One whose
 * server is late, or never there, has its own.
 */
export function patience(timeoutSeconds: number, answersAtOnce: boolean): number {
  return 1000 * (answersAtOnce ? Math.max(timeoutSeconds, 30) : timeoutSeconds);
}
