/** Clients that leave while something is made for them, and such as ask without reading. */
import { once } from "node:events";
import net, { type AddressInfo } from "node:net";
import { Duplex, PassThrough } from "node:stream";
import { pingFrame } from "@hooklet/streams";
import { servePort } from "@hooklet/streams/channels";
import { VirtualClock } from "@hooklet/testkit";
import { afterEach, expect, test } from "@jest/globals";
import { SpdyConnection } from "../../../src/streams/spdy-connection.js";
import { splice } from "../../../src/streams/splice.js";

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

test("a client that leaves while the runtime's server is being reached leaves no connection behind", async () => {
  const server = net.createServer();
  const open = new Set<net.Socket>();
  server.on("connection", (socket) => {
    open.add(socket);
    socket.on("error", () => undefined);
    socket.once("close", () => open.delete(socket));
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  endings.push(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as AddressInfo;
  const client = new PassThrough();
  const request = { method: "POST", rawHeaders: [], headers: {} } as never;
  const carried = splice(request, client, Buffer.alloc(0), `http://127.0.0.1:${port}/exec/x`, new VirtualClock());
  client.destroy();
  await expect(carried).rejects.toThrow("is not asked: the client is gone");
  // One that was on its way comes, and goes.
  await new Promise((resolve) => setTimeout(resolve, 200));
  for (let tries = 0; tries < 6_000 && open.size > 0; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(open.size).toBe(0);
});

test("data that the runtime's server sent before it ended reaches a slow client", async () => {
  const said = Buffer.alloc(4 * 1024 * 1024, "x");
  const server = net.createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end(said));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  endings.push(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as AddressInfo;
  let heard = 0;
  /** Takes one piece at a time, long after it came. */
  class Slow extends Duplex {
    override _read(): void {}
    override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
      setTimeout(() => {
        heard += chunk.length;
        done();
      }, 20);
    }
  }
  const client = new Slow({ writableHighWaterMark: 256 * 1024 });
  const request = { method: "POST", rawHeaders: [], headers: {} } as never;
  await splice(request, client, Buffer.alloc(0), `http://127.0.0.1:${port}/exec/x`, new VirtualClock());
  await once(client, "close");
  expect(heard).toBe(said.length);
});

test("a client that is there and takes nothing is let go a while after the runtime's server has ended", async () => {
  const server = net.createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", () => socket.end("said"));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  endings.push(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as AddressInfo;
  let heard = "";
  class Silent extends Duplex {
    override _read(): void {}
    override _write(chunk: Buffer): void {
      heard += chunk;
    }
  }
  const client = new Silent();
  const clock = new VirtualClock();
  const request = { method: "POST", rawHeaders: [], headers: {} } as never;
  await splice(request, client, Buffer.alloc(0), `http://127.0.0.1:${port}/exec/x`, clock);
  const began = clock.monotonic();
  while (!client.destroyed) {
    await clock.advance(1_000);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  expect(heard).toBe("said");
  expect(clock.monotonic() - began).toBeGreaterThanOrEqual(30_000);
}, 60_000);

test("a client that leaves while its port is being opened leaves no connection into the pod behind", async () => {
  const gone = new AbortController();
  const end = new PassThrough();
  let opened: (end: Duplex) => void = () => undefined;
  const opening = new Promise<Duplex>((resolve) => {
    opened = resolve;
  });
  const connection = { closed: gone.signal, canClose: true, send: () => true, end: () => undefined } as never;
  const served = servePort(connection, 80, () => opening);
  gone.abort();
  opened(end);
  await served;
  expect(end.destroyed).toBe(true);
});

test("pings of a client that does not read its answers stay unread, and memory stays bounded", async () => {
  let answered = 0;
  /** Takes nothing that is written to it. */
  class Deaf extends Duplex {
    constructor() {
      super({ writableHighWaterMark: 1024, readableHighWaterMark: 64 * 1024 });
    }
    override _read(): void {}
    override _write(chunk: Buffer): void {
      answered += chunk.length;
    }
  }
  const socket = new Deaf();
  new SpdyConnection(socket, () => undefined);
  for (let id = 0; id < 10_000; id += 1) socket.push(pingFrame(id));
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(answered + socket.writableLength).toBeLessThan(4_096);
  socket.destroy();
  await once(socket, "close");
});
