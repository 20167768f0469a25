/** Commands of clients: many at once, and what goes between a client and its command. */
import { PassThrough } from "node:stream";
import type { InteractiveExec } from "@hooklet/core/host";
import { Channel, decodeOutcome, encodeSize, type Message } from "@hooklet/streams/channels";
import { NodeAgentError, systemClock } from "@hooklet/utils";
import { expect, test } from "@jest/globals";
import { VirtualClock } from "../../../../sim/src/clock/virtual-clock.js";
import { type ExecChannels, type StartCommand, serveExec } from "../../../src/streams/serve-exec.js";

function channels(closed: AbortSignal): ExecChannels {
  return {
    closed,
    full: false,
    send: () => true,
    drained: async () => undefined,
    messages: async function* () {
      await new Promise(() => undefined);
    },
    end: () => undefined,
  };
}

const never = async () => ({
  exitCode: new Promise<number>(() => undefined),
  write: () => undefined,
  endInput: () => undefined,
  resize: () => undefined,
  abort: () => undefined,
});

test("of 200 commands that are asked for at once one is started in each turn of the event loop", async () => {
  let started = 0;
  for (let client = 0; client < 200; client += 1) {
    void serveExec(channels(new AbortController().signal), systemClock, () => {
      started += 1;
      return never();
    });
  }
  let turns = 0;
  for (let before = 0; started < 200; before = started, turns += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    expect(started - before).toBeLessThanOrEqual(1);
  }
  expect(turns).toBeGreaterThanOrEqual(199);
});

test("a client that has left before its turn has no command started", async () => {
  const left = new AbortController();
  let started = 0;
  const all = Array.from({ length: 200 }, () =>
    serveExec(channels(left.signal), systemClock, () => {
      started += 1;
      return never();
    }),
  );
  left.abort();
  await Promise.all(all);
  expect(started).toBe(0);
});

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** A client whose messages a test sends, and a command that a test ends. */
function session() {
  const [left, calls, sent, output] = [
    new AbortController(),
    [] as string[],
    [] as [number, string][],
    {
      full: false,
      drain: (): void => undefined,
    },
  ];
  const messages = new PassThrough({ objectMode: true });
  const command: { exit: (code: number) => void; fail: (error: Error) => void } = { exit: () => {}, fail: () => {} };
  const exitCode = new Promise<number>((resolve, reject) => {
    command.exit = resolve;
    command.fail = reject;
  });
  const running: InteractiveExec = {
    exitCode,
    write: (data) => void calls.push(`write ${data}`),
    endInput: () => void calls.push("endInput"),
    resize: (columns, rows) => void calls.push(`resize ${columns} ${rows}`),
    abort: () => void calls.push("abort"),
    pause: () => void calls.push("pause"),
    resume: () => void calls.push("resume"),
  };
  const connection: ExecChannels = {
    closed: left.signal,
    get full() {
      return output.full;
    },
    send: (channel, data) => {
      sent.push([channel, Buffer.from(data).toString()]);
      return true;
    },
    drained: () => new Promise((resolve) => (output.drain = resolve)),
    messages: () => messages.iterator({ destroyOnReturn: false }) as AsyncGenerator<Message>,
    end: () => void calls.push("end"),
  };
  const say = (channel: number, data: Buffer | string): void =>
    void messages.write({ channel, data: Buffer.from(data) });
  return { connection, running, command, calls, sent, left, output, say, messages };
}

/** Serves it until its command has been started; `ended` once the client has the end. */
async function started(connection: ExecChannels, start: StartCommand): Promise<{ readonly ended: Promise<void> }> {
  const [clock, begun] = [new VirtualClock(), new AbortController()];
  const ended = serveExec(connection, clock, async (output) => {
    const running = await start(output);
    begun.abort();
    return running;
  });
  await Promise.race([ended, new Promise((resolve) => begun.signal.addEventListener("abort", resolve))]);
  await settled();
  return { ended };
}

test("input, sizes and the end of the input reach the command, in order; an empty piece does not", async () => {
  const { connection, running, command, calls, say } = session();
  const { ended } = await started(connection, async () => running);
  say(Channel.stdin, "ls\n");
  say(Channel.stdin, "");
  say(Channel.resize, encodeSize(80, 24));
  say(Channel.close, Buffer.of(Channel.stdout));
  say(Channel.close, Buffer.of(Channel.stdin));
  await settled();
  expect(calls).toEqual(["write ls\n", "resize 80 24", "endInput"]);
  command.exit(0);
  await ended;
});

test("more input is taken only once the command takes it", async () => {
  const { connection, running, command, calls, say } = session();
  let takes = (): void => undefined;
  const slow = { ...running, drained: () => new Promise<void>((resolve) => (takes = resolve)) };
  const { ended } = await started(connection, async () => slow);
  for (const text of ["a", "b"]) say(Channel.stdin, text);
  await settled();
  expect(calls).toEqual(["write a"]);
  takes();
  await settled();
  expect(calls).toEqual(["write a", "write b"]);
  command.exit(0);
  await ended;
});

test.each([0, 3])("the exit code %d is the last message, then the connection ends", async (exitCode) => {
  const { connection, running, command, calls, sent } = session();
  const { ended } = await started(connection, async (output) => {
    output("stdout", Buffer.from("out"));
    output("stderr", Buffer.from("err"));
    output("stdout", Buffer.alloc(0));
    return running;
  });
  command.exit(exitCode);
  await ended;
  const [last, ...before] = sent.reverse();
  expect([last?.[0], decodeOutcome(Buffer.from(last?.[1] ?? ""))]).toEqual([Channel.error, { exitCode }]);
  expect(before.reverse()).toEqual([
    [Channel.stdout, "out"],
    [Channel.stderr, "err"],
  ]);
  expect(calls).toEqual(["end"]);
});

test.each(["could not be started", "broke off"])("a command that %s: the client has the reason", async (what) => {
  const { connection, running, command, calls, sent } = session();
  const error = new NodeAgentError("NOT_FOUND", "no such program");
  const { ended } = await started(connection, async () => {
    if (what === "could not be started") throw error;
    return running;
  });
  if (what === "broke off") command.fail(error);
  await ended;
  expect(sent.map(([channel, text]) => [channel, decodeOutcome(Buffer.from(text))])).toEqual([
    [Channel.error, { error: "no such program", status: 404, reason: "NotFound" }],
  ]);
  expect(calls).toEqual(["end"]);
});

test.each([
  [7, "", "A message to channel 7: expected stdin (0), resize (4) or close (255)."],
  [Channel.stdout, "x", "A message to channel 1: expected stdin (0), resize (4) or close (255)."],
  [Channel.resize, "{}", 'A size of the terminal: expected {"Width": 80, "Height": 24}, found {}.'],
])("a message to channel %d with %j ends the command, and the client has the reason", async (channel, data, text) => {
  const { connection, running, calls, sent, say } = session();
  const { ended } = await started(connection, async () => running);
  say(channel, data);
  await ended;
  expect(calls).toEqual(["abort", "end"]);
  expect(decodeOutcome(Buffer.from(sent[0]?.[1] ?? ""))).toEqual({
    error: `message: expected the channel protocol, found ${JSON.stringify(text)}.`,
    status: 400,
    reason: "BadRequest",
  });
});

test.each(["while it starts", "later"])("a client that leaves %s takes its command with it, once", async (when) => {
  const { connection, running, command, calls, sent, left, messages } = session();
  const { ended } = await started(connection, async () => {
    if (when === "while it starts") left.abort();
    return running;
  });
  await settled();
  left.abort();
  messages.destroy(new Error("gone"));
  await settled();
  expect([calls, sent]).toEqual([["abort"], []]);
  command.exit(137);
  await ended;
});

test("while the client is behind, its command is held up; once, until the client has caught up", async () => {
  const { connection, running, command, calls, output } = session();
  let write: Parameters<Parameters<typeof serveExec>[2]>[0] = () => undefined;
  output.full = true;
  const { ended } = await started(connection, async (given) => {
    write = given;
    write("stdout", Buffer.from("before it runs"));
    return running;
  });
  await settled();
  write("stdout", Buffer.from("more"));
  expect(calls).toEqual(["pause"]);
  output.drain();
  await settled();
  expect(calls).toEqual(["pause", "resume"]);
  write("stdout", Buffer.from("more"));
  expect(calls).toEqual(["pause", "resume", "pause"]);
  output.full = false;
  output.drain();
  await settled();
  write("stdout", Buffer.from("more"));
  expect(calls).toEqual(["pause", "resume", "pause", "resume"]);
  command.exit(0);
  await ended;
});
