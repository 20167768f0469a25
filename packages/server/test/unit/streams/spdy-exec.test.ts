/** The streams of a command over SPDY: which the client may open, and what they carry. */
import { Duplex } from "node:stream";
import { Channel, MAX_WAITING_BYTES, type Message } from "@hooklet/streams/channels";
import { expect, test } from "@jest/globals";
import { VirtualClock } from "../../../../sim/src/clock/virtual-clock.js";
import type { SpdyConnection } from "../../../src/streams/spdy-connection.js";
import { SpdyExec } from "../../../src/streams/spdy-exec.js";

const NONE = { tty: false, stdin: false, stdout: false, stderr: false };
const KINDS = ["stdin", "stdout", "stderr", "error", "resize"];

/** The server's end of a stream: what is written to it is heard, once its client reads. */
class Stream extends Duplex {
  heard = "";
  taken?: () => void;

  constructor(private readonly isRead = true) {
    super();
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.heard += chunk;
    if (this.isRead) done();
    else this.taken = done;
  }
}

function connected(parts: Partial<typeof NONE>) {
  const [exec, clock, over, calls] = [
    new SpdyExec({ ...NONE, ...parts }),
    new VirtualClock(),
    new AbortController(),
    [] as string[],
  ];
  const connection = {
    closed: over.signal,
    end: () => void calls.push("end"),
    terminate: () => void calls.push("terminate"),
  } as SpdyConnection;
  const open = (kind: string, stream = new Stream()): Stream => {
    exec.take(new Map([["streamtype", kind]]), stream);
    return stream;
  };
  return { exec, clock, over, calls, open, opened: () => exec.opened(connection, clock) };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test.each<[parts: Partial<typeof NONE>, taken: readonly string[]]>([
  [{}, ["error"]],
  [{ stdin: true }, ["stdin", "error"]],
  [{ stdout: true }, ["stdout", "error"]],
  [{ stderr: true }, ["stderr", "error"]],
  [{ tty: true }, ["error", "resize"]],
  [{ tty: true, stdin: true, stdout: true }, ["stdin", "stdout", "error", "resize"]],
])("a client that asked for %j may open %j, each once, and no others", async (parts, taken) => {
  const { open, opened } = connected(parts);
  expect(KINDS.filter((kind) => !open(kind).destroyed)).toEqual(taken);
  expect([...KINDS, "", "data"].filter((kind) => !open(kind).destroyed)).toEqual([]);
  await opened();
});

test("it begins once the last stream is there, and leaves no timer", async () => {
  const { open, opened, clock } = connected({ stdout: true });
  open("stdout");
  let began = false;
  const beginning = opened().then(() => {
    began = true;
  });
  await clock.advance(29_999);
  expect(began).toBe(false);
  open("error");
  await beginning;
  expect(clock.pending).toBe(0);
});

test("a client that does not open all its streams is given 30 s", async () => {
  const { opened, clock } = connected({ stdout: true });
  const failed = expect(opened()).rejects.toThrow("not all streams were opened within 30 s");
  await clock.advance(30_000);
  await failed;
});

test("a client that leaves before is not waited for", async () => {
  const { opened, over, clock } = connected({ stdout: true });
  const failed = expect(opened()).rejects.toThrow("the client is gone");
  over.abort();
  await failed;
  expect(clock.pending).toBe(0);
});

test("closed is the connection's, and not aborted before there is one", async () => {
  const { exec, open, opened, over } = connected({});
  expect(exec.closed.aborted).toBe(false);
  open("error");
  await opened();
  over.abort();
  expect(exec.closed.aborted).toBe(true);
});

test("input comes as it was sent, then its end; of several sizes in one piece the newest", async () => {
  const { exec, open, opened } = connected({ stdin: true, tty: true });
  const [stdin, resize] = [open("stdin"), open("resize")];
  open("error");
  await opened();
  const seen: [number, string][] = [];
  void (async () => {
    for await (const { channel, data } of exec.messages() as AsyncIterable<Message>)
      seen.push([channel, channel === Channel.close ? data.toString("hex") : data.toString()]);
  })();
  resize.push('{"Width":1,"Height":1}\n{"Width":80,"Height":24}\n');
  resize.push("\n");
  resize.push(null);
  await settled();
  stdin.push(" two\nlines\n");
  stdin.push(null);
  await settled();
  await settled();
  expect(seen).toEqual([
    [Channel.resize, '{"Width":80,"Height":24}'],
    [Channel.stdin, " two\nlines\n"],
    [Channel.close, "00"],
  ]);
});

test("an input stream that breaks has no end of the input", async () => {
  const { exec, open, opened, over } = connected({ stdin: true });
  const stdin = open("stdin");
  open("error");
  await opened();
  const seen: string[] = [];
  const reading = (async () => {
    for await (const { data } of exec.messages()) seen.push(data.toString());
  })();
  stdin.push("a");
  await settled();
  stdin.destroy(new Error("reset"));
  await settled();
  over.abort();
  await expect(reading).rejects.toThrow();
  expect(seen).toEqual(["a"]);
});

test("output goes to its own stream; to one that is not there, is destroyed or has ended, nothing goes", () => {
  const { exec, open } = connected({ stdout: true, stderr: true });
  const [stdout, stderr] = [open("stdout"), open("stderr")];
  const send = (channel: number, text: string): boolean => exec.send(channel, Buffer.from(text));
  expect([send(Channel.stdout, "o"), send(Channel.stderr, "e"), send(Channel.error, "lost")]).toEqual([
    true,
    true,
    true,
  ]);
  stdout.end();
  stderr.destroy();
  expect([send(Channel.stdout, "late"), send(Channel.stderr, "late")]).toEqual([true, true]);
  expect([stdout.heard, stderr.heard]).toEqual(["o", "e"]);
});

test("a client that does not read makes it full, until it reads or its stream is gone", async () => {
  const { exec, open } = connected({ stdout: true, stderr: true });
  const [slow, broken] = [open("stdout", new Stream(false)), open("stderr", new Stream(false))];
  expect(exec.full).toBe(false);
  await exec.drained();
  const piece = Buffer.alloc(slow.writableHighWaterMark);
  expect([exec.send(Channel.stdout, piece), exec.send(Channel.stderr, piece)]).toEqual([false, false]);
  let drained = false;
  const waits = exec.drained().then(() => {
    drained = true;
  });
  slow.taken?.();
  await settled();
  expect([exec.full, drained]).toEqual([true, false]);
  broken.destroy();
  await waits;
  expect(exec.full).toBe(false);
});

test("a client that is more than 16 MiB behind is disconnected; the end is the connection's", async () => {
  const { exec, open, opened, calls } = connected({ stdout: true });
  open("stdout", new Stream(false));
  open("error");
  await opened();
  exec.send(Channel.stdout, Buffer.alloc(MAX_WAITING_BYTES));
  expect(calls).toEqual([]);
  exec.send(Channel.stdout, Buffer.alloc(1));
  expect(calls).toEqual(["terminate"]);
  exec.end();
  expect(calls).toEqual(["terminate", "end"]);
});
