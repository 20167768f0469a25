/** A runtime's streaming server that does what none should: each costs its own command or port, and leaves no connection behind. */
import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { setImmediate as turn } from "node:timers/promises";
import { dataFrame, FrameReader, pingFrame, replyFrame, resetFrame, type SpdyFrame } from "@hooklet/streams";
import { VirtualClock } from "@hooklet/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { interactiveExec } from "../../../src/stream/interactive-exec.js";
import { forwardedPort } from "../../../src/stream/port-forward.js";

const UPGRADED = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n";

let server: Server;
let url: string;
let clock: VirtualClock;
/** What the server does with each frame, and once it has accepted. */
let onFrame: (socket: Socket, frame: SpdyFrame) => void;
let onUpgrade: (socket: Socket) => void;
const sockets: Socket[] = [];

beforeEach(async () => {
  [clock, onFrame, onUpgrade] = [new VirtualClock(), () => undefined, () => undefined];
  server = createServer((socket) => {
    sockets.push(socket);
    const reader = new FrameReader();
    let upgraded = false;
    socket.on("error", () => undefined);
    socket.on("data", (chunk) => {
      if (upgraded) {
        for (const frame of reader.take(chunk)) onFrame(socket, frame);
        return;
      }
      upgraded = true;
      socket.write(UPGRADED);
      onUpgrade(socket);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/exec/token`;
});

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  server.close();
  await once(server, "close");
});

const exec = () => interactiveExec(url, { tty: false, stdin: true }, clock, () => undefined);
const uses: readonly { readonly what: string; readonly use: () => Promise<unknown> }[] = [
  { what: "a command", use: exec },
  { what: "a port", use: () => forwardedPort(url, 80, clock) },
];
const takes = (socket: Socket, frame: SpdyFrame): void => {
  if (frame.kind === "open") socket.write(replyFrame(frame.stream, Buffer.alloc(0)));
};

/** Time goes on as long as there is no answer. */
async function settled<T>(asked: Promise<T>): Promise<T> {
  let over = false;
  const end = (): void => {
    over = true;
  };
  asked.then(end, end);
  while (!over) {
    await turn();
    await clock.advance(100);
  }
  return asked;
}

async function closed(): Promise<void> {
  // How it ends is not asked: with bytes under way the other side hears of a reset.
  await Promise.all(sockets.map((one) => one.closed || new Promise((resolve) => one.on("close", resolve))));
}

test.each(uses)("$what: one that takes no stream is waited for for 30 s, and not held", async ({ use }) => {
  await expect(settled(use())).rejects.toThrow("did not take a stream within 30 s");
  await closed();
});

test.each(uses)("$what: one that refuses a stream is not held", async ({ use }) => {
  let seen = 0;
  onFrame = (socket, frame) => {
    if (frame.kind !== "open") return;
    seen += 1;
    socket.write(seen === 1 ? replyFrame(frame.stream, Buffer.alloc(0)) : resetFrame(frame.stream));
  };
  await expect(use()).rejects.toThrow("refused a stream");
  await closed();
});

test.each(uses)("$what: one that answers with garbage is not held", async ({ use }) => {
  onUpgrade = (socket) => socket.write(Buffer.alloc(4096, 0xff));
  await expect(use()).rejects.toThrow("hung up: a frame of 16777215 bytes");
  await closed();
});

test.each(uses)("$what: one that asks on and on and reads nothing is cut off", async ({ use }) => {
  onUpgrade = (socket) => {
    socket.pause();
    const flood = (): void => {
      while (!socket.destroyed && socket.write(Buffer.concat(Array.from({ length: 4096 }, (_, id) => pingFrame(id)))));
    };
    socket.on("drain", flood);
    flood();
  };
  await expect(use()).rejects.toThrow("asks on and on");
});

test("the status of a command is read up to 64 KiB: an endless one ends it", async () => {
  onFrame = (socket, frame) => {
    takes(socket, frame);
    // The fourth stream is the last one.
    if (frame.kind !== "open" || frame.stream !== 7) return;
    const piece = dataFrame(1, Buffer.alloc(32 * 1024, "x"), false);
    const tell = (): void => {
      while (!socket.destroyed && socket.write(piece));
    };
    socket.on("drain", tell);
    tell();
  };
  const { exitCode } = await exec();
  await expect(exitCode).rejects.toThrow("in more than 65536 bytes");
  await closed();
});

test.each([
  { name: "is no JSON", text: "\u0000garbage" },
  { name: "is of other types", text: '{"status":1,"details":{"causes":[null]}}' },
  {
    name: "has a code that is none",
    text: '{"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"1e9"}]}}',
  },
])("an end that $name is a failure of the command", async ({ text }) => {
  onFrame = (socket, frame) => {
    takes(socket, frame);
    if (frame.kind !== "open") return;
    socket.write(dataFrame(frame.stream, Buffer.from(frame.stream === 1 ? text : ""), true));
  };
  const { exitCode } = await exec();
  await expect(exitCode).rejects.toMatchObject({ code: "unknown" });
  await closed();
});

test("a runtime that dies in the middle of a command fails it", async () => {
  onFrame = takes;
  const { exitCode } = await exec();
  for (const socket of sockets) socket.destroy();
  await expect(exitCode).rejects.toMatchObject({ code: "unavailable" });
});
