/** A forwarded port: what its two ends say to each other, and how either of them ends. */
import { Duplex, PassThrough } from "node:stream";
import { expect, test } from "@jest/globals";
import type { ChannelConnection } from "../../../src/channels/connection.js";
import { servePort, usePort } from "../../../src/channels/forward.js";
import { Channel, encodePort, type Message, PortChannel } from "../../../src/channels/protocol.js";

/** One end of a TCP connection: what is written to it is heard. */
class End extends Duplex {
  heard = "";
  hasEnd = false;

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.heard += chunk;
    done();
  }

  override _final(done: () => void): void {
    this.hasEnd = true;
    done();
  }
}

/** A connection whose peer is the test. */
function connected(canClose = true) {
  const [over, sent, calls] = [new AbortController(), [] as (readonly [number, string])[], [] as string[]];
  const messages = new PassThrough({ objectMode: true });
  const flow = { goesOn: true, drain: (): void => undefined };
  const connection = {
    closed: over.signal,
    canClose,
    send: (channel: number, data: Uint8Array) => {
      sent.push([channel, Buffer.from(data).toString("latin1")]);
      return flow.goesOn;
    },
    drained: () =>
      new Promise<void>((resolve) => {
        flow.drain = resolve;
      }),
    closeChannel: (channel: number) => void calls.push(`close ${channel}`),
    messages: () => messages.iterator({ destroyOnReturn: false }) as AsyncGenerator<Message>,
    end: () => void calls.push("end"),
    terminate: () => void calls.push("terminate"),
  } as unknown as ChannelConnection;
  const say = (channel: number, data: string | Buffer): void =>
    void messages.write({ channel, data: Buffer.from(data) });
  return { connection, over, sent, calls, flow, say, messages };
}

const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

const PORT = encodePort(8080).toString("latin1");
const NAMED = [
  [PortChannel.data, PORT],
  [PortChannel.error, PORT],
];

test("the agent names the port on both channels, then carries bytes both ways; each side ends by itself", async () => {
  const { connection, sent, calls, say } = connected();
  const end = new End();
  const served = servePort(connection, 8080, async () => end);
  await settled();
  end.push("from the pod");
  say(PortChannel.data, "to the ");
  say(PortChannel.data, "");
  say(PortChannel.error, "nothing to the agent");
  say(PortChannel.data, "pod");
  await settled();
  expect([sent, end.heard]).toEqual([[...NAMED, [PortChannel.data, "from the pod"]], "to the pod"]);
  say(Channel.close, Buffer.of(PortChannel.error));
  await settled();
  expect(end.hasEnd).toBe(false);
  say(Channel.close, Buffer.of(PortChannel.data));
  await settled();
  expect([end.hasEnd, calls]).toEqual([true, []]);
  end.push(null);
  await served;
  expect([calls, end.destroyed]).toEqual([[`close ${PortChannel.data}`, "end"], true]);
});

test("where a channel cannot be closed alone, the end of the pod's side is the end", async () => {
  const { connection, calls, messages } = connected(false);
  const end = new End();
  const served = servePort(connection, 8080, async () => end);
  await settled();
  end.push(null);
  await settled();
  expect(calls).toEqual([`close ${PortChannel.data}`, "end"]);
  messages.end();
  await served;
});

test("a port that cannot be reached is the error channel's, and the connection ends", async () => {
  const { connection, sent, calls } = connected();
  await servePort(connection, 8080, () => Promise.reject(new Error("connection refused")));
  expect([sent, calls]).toEqual([[...NAMED, [PortChannel.error, "connection refused"]], ["end"]]);
});

test("a port that breaks is the error channel's, and is left", async () => {
  const { connection, sent } = connected();
  const end = new End();
  const served = servePort(connection, 8080, async () => end);
  await settled();
  end.destroy(new Error("reset by the pod"));
  await served;
  expect(sent.at(-1)).toEqual([PortChannel.error, "reset by the pod"]);
});

test.each(["while it is opened", "later"])(
  "a client that leaves %s leaves no connection into the pod",
  async (when) => {
    const { connection, sent, over } = connected();
    const end = new End();
    const served = servePort(connection, 8080, async () => {
      if (when === "while it is opened") over.abort();
      return end;
    });
    await settled();
    over.abort();
    await served;
    expect([end.destroyed, sent]).toEqual([true, NAMED]);
  },
);

test("a reader that is behind holds the pod up", async () => {
  const { connection, sent, flow } = connected();
  const end = new End();
  const served = servePort(connection, 8080, async () => end);
  await settled();
  flow.goesOn = false;
  end.push("one");
  await settled();
  end.push("two");
  await settled();
  expect(sent.slice(2).map(([, text]) => text)).toEqual(["one"]);
  flow.goesOn = true;
  flow.drain();
  await settled();
  expect(sent.slice(2).map(([, text]) => text)).toEqual(["one", "two"]);
  end.destroy(new Error("over"));
  await served;
});

test("the client skips the port that is named first on each channel, and carries bytes both ways", async () => {
  const { connection, sent, calls, say, messages } = connected();
  const local = new End();
  const used = usePort(connection, local);
  for (const channel of [PortChannel.data, PortChannel.error]) say(channel, encodePort(8080));
  say(PortChannel.data, "answer");
  local.push("question");
  await settled();
  expect([sent, local.heard]).toEqual([[[PortChannel.data, "question"]], "answer"]);
  local.push(null);
  await settled();
  expect([calls, local.hasEnd]).toEqual([[`close ${PortChannel.data}`], false]);
  messages.end();
  await used;
  expect([calls, local.hasEnd]).toEqual([[`close ${PortChannel.data}`, "end"], true]);
});

test("what the agent says of the port is the client's error", async () => {
  const { connection, calls, say } = connected();
  const used = expect(usePort(connection, new End())).rejects.toThrow("connection refused");
  for (const text of [encodePort(8080), "connection refused"]) say(PortChannel.error, text);
  await used;
  expect(calls).toEqual(["end"]);
});

test("a local program that breaks off is no error, and the connection is broken off too", async () => {
  const { connection, calls, messages } = connected();
  const local = new End();
  const used = usePort(connection, local);
  await settled();
  local.destroy();
  await settled();
  messages.destroy(new Error("gone"));
  await used;
  expect(calls).toEqual(["terminate", "end"]);
});

test("a local program that had ended before it went has what it sent delivered", async () => {
  const { connection, calls, messages } = connected();
  const local = new End();
  const used = usePort(connection, local);
  local.push("last words");
  local.push(null);
  await settled();
  local.destroy();
  await settled();
  messages.end();
  await used;
  expect(calls).toEqual([`close ${PortChannel.data}`, "end", "end"]);
});
