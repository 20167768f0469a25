/** The client's end of a SPDY connection, against a server that each test plays. */
import { duplexPair } from "node:stream";
import { text } from "node:stream/consumers";
import { setImmediate as turn } from "node:timers/promises";
import { constants, createInflate } from "node:zlib";
import {
  dataFrame,
  FrameReader,
  pingFrame,
  readHeaders,
  replyFrame,
  resetFrame,
  type SpdyFrame,
} from "@hooklet/streams";
import { VirtualClock } from "@hooklet/testkit";
import { describe, expect, test } from "@jest/globals";
import { SpdyClient } from "../../../src/stream/spdy-client.js";

const GO_AWAY = Buffer.from([0x80, 3, 0, 7, 0, 0, 0, 8, ...Buffer.alloc(8)]);
const none = Buffer.alloc(0);

function connection() {
  const [ours, server] = duplexPair();
  const clock = new VirtualClock();
  const client = new SpdyClient(ours, clock);
  const reader = new FrameReader();
  const frames: SpdyFrame[] = [];
  server.on("error", () => undefined);
  server.on("data", (chunk: Buffer) => frames.push(...reader.take(chunk)));
  /** A stream that the server has taken. */
  const opened = async (headers = {}) => {
    const opening = client.open(headers);
    const before = frames.length;
    while (frames.length === before) await turn();
    const frame = frames.at(-1);
    const id = frame?.kind === "open" ? frame.stream : -1;
    server.write(replyFrame(id, none));
    return { stream: await opening, id };
  };
  return { ours, server, clock, client, frames, opened };
}
const hungUp = (why: string) =>
  expect.objectContaining({ code: "unavailable", message: `the runtime's streaming server hung up: ${why}` });

describe("a stream", () => {
  test("has an odd number of its own, and headers that go on from the last ones' compression", async () => {
    const { opened, frames } = connection();
    const ids = [(await opened({ streamType: "error" })).id, (await opened({ streamType: "data" })).id];
    expect(ids).toEqual([1, 3]);
    const inflate = createInflate({ finishFlush: constants.Z_SYNC_FLUSH });
    const found: unknown[] = [];
    for (const frame of frames) {
      if (frame.kind !== "open") continue;
      inflate.write(frame.block);
      await new Promise<void>((resolve) => inflate.flush(() => resolve()));
      found.push(Object.fromEntries(readHeaders(inflate.read())));
    }
    expect(found).toEqual([{ streamtype: "error" }, { streamtype: "data" }]);
  });

  test("gives what comes for it, until its end; what comes later or for others is lost", async () => {
    const { opened, server } = connection();
    const { stream, id } = await opened();
    for (const [to, data, last] of [
      [id, "one", false],
      [99, "other", false],
      [id, "", false],
      [id, "two", true],
      [id, "late", true],
    ] as const)
      server.write(dataFrame(to, Buffer.from(data), last));
    expect(await text(stream)).toBe("onetwo");
  });

  test("sends what is written, but nothing empty, and its end", async () => {
    const { opened, frames } = connection();
    const { stream, id } = await opened();
    frames.length = 0;
    stream.write("one");
    stream.write(none);
    stream.end("two");
    await new Promise((resolve) => stream.once("finish", resolve));
    expect(frames).toEqual([
      { kind: "data", stream: id, data: Buffer.from("one"), last: false },
      { kind: "data", stream: id, data: Buffer.from("two"), last: false },
      { kind: "data", stream: id, data: none, last: true },
    ]);
  });

  test("ends where the server resets it, or ends it with its answer", async () => {
    const { opened, server, client, frames } = connection();
    const { stream, id } = await opened();
    server.write(resetFrame(id));
    expect(await text(stream)).toBe("");
    const opening = client.open({});
    frames.length = 0;
    while (frames.length === 0) await turn();
    const answer = replyFrame(3, none);
    answer.writeUInt8(1, 4);
    server.write(answer);
    expect(await text(await opening)).toBe("");
  });

  test("that is not read holds the connection up; one that is given up does not", async () => {
    const { ours, opened, server } = connection();
    const { stream, id } = await opened();
    server.write(dataFrame(id, Buffer.alloc(256 * 1024), false));
    while (!ours.isPaused()) await turn();
    stream.destroy();
    await turn();
    expect(ours.isPaused()).toBe(false);
  });
});

describe("is refused", () => {
  test("a stream that the server resets before it takes it", async () => {
    const { client, server, frames } = connection();
    const opening = client.open({});
    opening.catch(() => undefined);
    while (frames.length === 0) await turn();
    server.write(resetFrame(1));
    await expect(opening).rejects.toMatchObject({
      ...{ code: "unavailable", message: "the runtime's streaming server refused a stream" },
    });
  });

  test("a stream that the server does not take in 30 s", async () => {
    const { client, clock } = connection();
    const opening = client.open({});
    opening.catch(() => undefined);
    await clock.advance(30_000);
    await expect(opening).rejects.toMatchObject({
      ...{ code: "unavailable", message: "the runtime's streaming server did not take a stream within 30 s" },
    });
  });
});

describe("a connection", () => {
  test("answers each ping", async () => {
    const { server, frames } = connection();
    server.write(pingFrame(7));
    while (frames.length === 0) await turn();
    expect(frames).toEqual([{ kind: "ping", id: 7 }]);
  });

  test.each([
    ["stays", 1_000_000, false],
    ["is broken off", 1_050_000, true],
  ])("to a server that asks and does not read %s with %d bytes that wait", async (_name, waiting, isBroken) => {
    const { ours, opened, server } = connection();
    const { stream } = await opened();
    server.pause();
    stream.write(Buffer.alloc(waiting));
    server.write(pingFrame(8));
    await turn();
    await turn();
    expect(ours.destroyed).toBe(isBroken);
  });

  test("that breaks off cuts its streams that have not ended, and those that wait", async () => {
    const { client, opened, ours, server } = connection();
    const whole = await opened();
    const open = await opened();
    server.write(dataFrame(whole.id, Buffer.from("whole"), true));
    await turn();
    const waiting = client.open({});
    waiting.catch(() => undefined);
    await turn();
    const cut = text(open.stream);
    cut.catch(() => undefined);
    ours.destroy(new Error("reset by peer"));
    await expect(waiting).rejects.toEqual(hungUp("reset by peer"));
    await expect(cut).rejects.toEqual(hungUp("reset by peer"));
    expect(await text(whole.stream)).toBe("whole");
    await expect(client.open({})).rejects.toEqual(hungUp("reset by peer"));
  });

  test("that is closed says so", async () => {
    const { client, ours } = connection();
    client.close();
    expect(ours.destroyed).toBe(true);
    await turn();
    await expect(client.open({})).rejects.toEqual(hungUp("the connection was closed"));
  });

  test("that the server is about to leave is ended, after what it still has to say", async () => {
    const { ours, opened, server } = connection();
    const { stream, id } = await opened();
    server.write(Buffer.concat([GO_AWAY, dataFrame(id, Buffer.from("last words"), true)]));
    expect(await text(stream)).toBe("last words");
    expect(ours.writableEnded).toBe(true);
    stream.end("too late");
  });

  test("with a frame that is too large is broken off", async () => {
    const { ours, server } = connection();
    server.write(Buffer.from([0, 0, 0, 1, 0, 0xff, 0xff, 0xff]));
    await turn();
    expect(ours.errored?.message).toMatch(/^a frame of 16777215 bytes/);
  });
});
