/** A client of SPDY that breaks the rules: its connection ends or goes on, nothing grows, and no other is touched. */
import { mkdtempSync, rmSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Duplex } from "node:stream";
import { deflateSync } from "node:zlib";
import {
  dataFrame,
  FrameReader,
  headerBlock,
  openFrame,
  pingFrame,
  resetFrame,
  type SpdyFrame,
} from "@hooklet/streams";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { SpdyConnection } from "../../../src/streams/spdy-connection.js";

const MEBIBYTE = 1024 * 1024;

let folder: string;
let server: net.Server;
let connections: SpdyConnection[];
/** What the server's side was given, with its headers. */
let taken: { readonly headers: ReadonlyMap<string, string>; readonly stream: Duplex }[];
const unhandled: unknown[] = [];
const onUnhandled = (reason: unknown): void => void unhandled.push(reason);

beforeEach(async () => {
  process.on("unhandledRejection", onUnhandled);
  [connections, taken] = [[], []];
  folder = mkdtempSync(path.join(tmpdir(), "hooklet-spdy-"));
  server = net.createServer((socket) => {
    const take = (headers: ReadonlyMap<string, string>, stream: Duplex): void => {
      taken.push({ headers, stream });
      // An echo.
      stream.pipe(stream);
    };
    connections.push(new SpdyConnection(socket, take));
  });
  await new Promise<void>((resolve) => server.listen(path.join(folder, "s"), resolve));
});

afterEach(async () => {
  for (const one of connections) one.terminate();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
  process.off("unhandledRejection", onUnhandled);
  expect(unhandled.splice(0)).toEqual([]);
});

interface Client {
  readonly socket: net.Socket;
  readonly frames: SpdyFrame[];
  /** Resolves once the server has ended the connection. */
  readonly ended: Promise<void>;
  /** Resolves with the first frame that is so; the connection's end is none. */
  seen(holds: (frame: SpdyFrame) => boolean): Promise<SpdyFrame>;
}

async function client(): Promise<Client> {
  const socket = net.connect(path.join(folder, "s"));
  await new Promise((resolve) => socket.once("connect", resolve));
  const reader = new FrameReader();
  const frames: SpdyFrame[] = [];
  const waiting = new Set<() => void>();
  socket.on("data", (data) => {
    frames.push(...reader.take(data));
    for (const look of waiting) look();
  });
  socket.on("error", () => undefined);
  const ended = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const seen = (holds: (frame: SpdyFrame) => boolean): Promise<SpdyFrame> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        const found = frames.find(holds);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      void ended.then(() => reject(new Error("the connection has ended")));
      look();
    });
  return { socket, frames, ended, seen };
}

/** Each block by itself: zlib lets a stream of blocks begin but once. */
const opening = (id: number, headers: Readonly<Record<string, string>> = { streamtype: "stdin" }): Buffer =>
  openFrame(id, deflateSync(headerBlock(headers), { finishFlush: 2 }));

/** That the connection still works: what is written to a stream comes back. */
async function echoes({ socket, seen }: Client, id: number): Promise<void> {
  socket.write(dataFrame(id, Buffer.from(`echo ${id}`), false));
  await seen((one) => one.kind === "data" && one.stream === id && one.data.toString() === `echo ${id}`);
}

function head(first: number, second: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32BE(first, 0);
  bytes.writeUInt32BE(second, 4);
  return bytes;
}

describe("ends the connection", () => {
  test.each<[string, Buffer]>([
    ["a frame that says it has 16 MiB", head(1, 0xffffff)],
    ["a control frame that says so", head(0x80030001, 0xffffff)],
    ["a header block that is no compression", openFrame(1, Buffer.from("no compression at all"))],
    ["an empty header block", openFrame(1, Buffer.alloc(0))],
    ["a header block that ends too early", openFrame(1, deflateSync(Buffer.from([0, 0, 0, 9, 0]), { finishFlush: 2 }))],
    [
      "headers that say that they are four thousand millions",
      openFrame(1, deflateSync(Buffer.alloc(1024, 0xff), { finishFlush: 2 })),
    ],
    [
      "a header whose length leads out of the block",
      openFrame(1, deflateSync(Buffer.from([0, 0, 0, 1, 0x7f, 0xff, 0xff, 0xff, 65]), { finishFlush: 2 })),
    ],
    ["HTTP", Buffer.from(`GET / HTTP/1.1\r\nHost: ${"h".repeat(2 * MEBIBYTE)}\r\n\r\n`)],
  ])("%s", async (_, bytes) => {
    const { socket, ended } = await client();
    socket.write(bytes);
    await ended;
    expect(connections[0]?.closed.aborted).toBe(true);
    expect(taken).toEqual([]);
  });

  test("a header block of 64 KB that means 64 MB, without making them", async () => {
    const bomb = deflateSync(Buffer.alloc(64 * MEBIBYTE), { finishFlush: 2 });
    const { socket, ended } = await client();
    const before = process.memoryUsage();
    socket.write(openFrame(1, bomb));
    await ended;
    const after = process.memoryUsage();
    expect(after.rss - before.rss).toBeLessThan(32 * MEBIBYTE);
  });
});

describe("is let be", () => {
  test.each<[string, Buffer]>([
    ["data for a stream that was never opened", dataFrame(99, Buffer.from("lost"), true)],
    ["the end of a stream that was never opened", resetFrame(99)],
    ["a control frame of an unknown type", Buffer.concat([head(0x800300ff, 4), Buffer.alloc(4)])],
    ["a control frame without its ids", head(0x80030001, 0)],
    ["an opening cut before its headers", Buffer.concat([head(0x80030001, 6), Buffer.alloc(6)])],
    ["a farewell, and what comes after it", Buffer.concat([head(0x80030007, 8), Buffer.alloc(8)])],
  ])("%s", async (_, bytes) => {
    const one = await client();
    one.socket.write(Buffer.concat([opening(1), bytes]));
    await echoes(one, 1);
  });

  test("a frame that comes byte by byte", async () => {
    const one = await client();
    for (const byte of opening(1)) {
      one.socket.write(Buffer.of(byte));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await echoes(one, 1);
  });

  test("a stream broken off while its data come", async () => {
    const one = await client();
    one.socket.write(Buffer.concat([opening(1), dataFrame(1, Buffer.alloc(100_000), false), resetFrame(1)]));
    await one.seen(({ kind }) => kind === "reply");
    await until(() => taken[0]?.stream.destroyed === true);
  });
});

test("a stream number in use is refused, and its first stream continues", async () => {
  const one = await client();
  one.socket.write(opening(1));
  await echoes(one, 1);
  // The compression goes on: an empty list of headers in a stored block.
  one.socket.write(openFrame(1, Buffer.from([0, 4, 0, 0xfb, 0xff, 0, 0, 0, 0])));
  await one.seen((frame) => frame.kind === "reset" && frame.stream === 1);
  one.socket.write(dataFrame(1, Buffer.from("still"), false));
  await one.seen((frame) => frame.kind === "data" && frame.data.toString().endsWith("still"));
});

test("of 2000 streams 1000 are taken, the others refused", async () => {
  const one = await client();
  const stored = Buffer.from([0, 4, 0, 0xfb, 0xff, 0, 0, 0, 0]);
  one.socket.write(opening(1));
  for (let id = 3; id < 4_000; id += 2) one.socket.write(openFrame(id, stored));
  await until(() => one.frames.filter(({ kind }) => kind === "reset").length === 1_000);
  expect(taken).toHaveLength(1_000);
  await echoes(one, 1);
});

test("for any bytes, no error is unhandled, and no stream outlives its connection", async () => {
  const right = [
    opening(1),
    dataFrame(1, Buffer.from("abc"), false),
    pingFrame(7),
    resetFrame(1),
    dataFrame(3, Buffer.alloc(0), true),
  ];
  const piece = fc.oneof(
    fc.constantFrom(...right),
    fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes)),
    fc
      .tuple(fc.constantFrom(...right), fc.nat(40), fc.integer({ min: 0, max: 255 }))
      .map(([frame, at, byte]) => Buffer.from(frame).fill(byte, at % frame.length, (at % frame.length) + 1)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { minLength: 1, maxLength: 12 }), async (pieces) => {
      const { socket, ended } = await client();
      for (const one of pieces) socket.write(one);
      socket.end();
      await ended;
    }),
    { numRuns: 200 },
  );
  await until(() => connections.every(({ closed }) => closed.aborted));
  expect(taken.every(({ stream }) => stream.destroyed)).toBe(true);
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}
