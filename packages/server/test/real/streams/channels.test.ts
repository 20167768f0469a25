/** The bytes on the wire, as a client that is not ours sees them. */
import { Agent } from "node:http";
import { connect, createServer, type Socket } from "node:net";
import { Duplex } from "node:stream";
import { ChannelConnection } from "@hooklet/streams/channels";
import { afterEach, describe, expect, test } from "@jest/globals";
import { type RawData, WebSocket } from "ws";
import { VirtualClock } from "../../../../sim/src/clock/virtual-clock.js";
import { FakeAgent } from "../../fake-agent.js";
import { aPod } from "../../samples.js";
import { scripted } from "../../scripted-exec.js";
import { startFake } from "../../start.js";

const open: WebSocket[] = [];
afterEach(() => {
  for (const socket of open.splice(0)) socket.terminate();
});

interface Peer {
  readonly socket: WebSocket;
  /** Messages as `channel:text`. */
  readonly heard: string[];
  readonly closed: Promise<number>;
  say(channel: number, text: string | Buffer): void;
}

async function peer(socketPath: string, path: string, protocol: string): Promise<Peer> {
  const socket = new WebSocket(`ws://localhost${path}`, protocol, { agent: new Agent({ socketPath } as object) });
  open.push(socket);
  const heard: string[] = [];
  socket.on("message", (data: RawData) => {
    const bytes = data as Buffer;
    heard.push(`${bytes[0]}:${bytes.subarray(1).toString("latin1")}`);
  });
  const closed = new Promise<number>((resolve) => socket.once("close", resolve));
  await new Promise((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  return {
    socket,
    heard,
    closed,
    say: (channel, text) => socket.send(Buffer.concat([Buffer.of(channel), Buffer.from(text)])),
  };
}

async function until(what: () => boolean): Promise<void> {
  for (let tries = 0; tries < 6_000 && !what(); tries++) await new Promise((resolve) => setTimeout(resolve, 10));
  expect(what()).toBe(true);
}

/** Says back what it hears. */
const cat = scripted((input) => input, 3);

async function exec(protocol = "v5.channel.k8s.io", query = "command=cat&input=1&output=1&error=1") {
  const api = new FakeAgent();
  api.setPods([aPod("web")]);
  api.execScript = cat;
  const { socket } = await startFake(api);
  return peer(socket, `/exec/default/web/main?${query}`, protocol);
}

const FAILED_3 =
  '3:{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"command terminated with non-zero exit code: 3",' +
  '"reason":"NonZeroExitCode","details":{"causes":[{"reason":"ExitCode","message":"3"}]}}';

describe("exec", () => {
  test("v5: an empty first message, output, resize, the end of the input, the Status, the closing", async () => {
    const { heard, say, closed, socket } = await exec();
    expect(socket.protocol).toBe("v5.channel.k8s.io");
    say(0, "one");
    say(4, '{"Width":80,"Height":24}');
    say(255, Buffer.of(0));
    expect(await closed).toBe(1005);
    expect(heard).toEqual(["1:", "1:one", "2:80x24", FAILED_3]);
  });

  test("v4 has no end of the input: the command runs until the client leaves", async () => {
    const { heard, say, socket } = await exec("v4.channel.k8s.io");
    expect(socket.protocol).toBe("v4.channel.k8s.io");
    say(0, "one");
    await until(() => heard.length === 2);
    expect(heard).toEqual(["1:", "1:one"]);
  });

  test("streams that were not asked for are not sent", async () => {
    const { heard, say, closed } = await exec("v5.channel.k8s.io", "command=cat&input=1&error=1");
    say(0, "one");
    say(4, '{"Width":1,"Height":2}');
    say(255, Buffer.of(0));
    await closed;
    expect(heard).toEqual(["3:", "2:1x2", FAILED_3]);
  });

  test.each([
    { name: "a size that is none", channel: 4, text: "{}", says: /size of the terminal/ },
    { name: "a channel that is none", channel: 9, text: "x", says: /channel 9/ },
  ])("$name ends the command, with a Status and its reason", async ({ channel, text, says }) => {
    const { heard, say, closed } = await exec();
    say(channel, text);
    await closed;
    const [last = ""] = heard.slice(-1);
    expect(JSON.parse(last.slice(2))).toMatchObject({
      status: "Failure",
      reason: "BadRequest",
      message: expect.stringMatching(says),
    });
  });

  test("a message of more than 1 MiB is refused by the websocket itself", async () => {
    const { say, closed } = await exec();
    say(0, Buffer.alloc(1024 * 1024 + 1));
    expect(await closed).toBe(1009);
  });
});

describe("a port", () => {
  const api = new FakeAgent();
  api.setPods([aPod("web")]);

  test("sends its number on both channels, then its bytes; each side ends alone", async () => {
    const server = createServer({ allowHalfOpen: true }, (socket: Socket) => {
      let text = "";
      socket.on("data", (chunk: Buffer) => {
        text += String(chunk);
      });
      socket.on("end", () => socket.end(`heard ${text}`));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    api.ports[80] = () => connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    const { socket } = await startFake(api);
    const { heard, say, closed } = await peer(socket, "/portForward/default/web?port=80", "v5.channel.k8s.io");
    say(0, "one");
    say(0, "two");
    say(255, Buffer.of(0));
    await closed;
    expect(heard).toEqual(["0:P\0", "1:P\0", "0:heard onetwo", "255:\0"]);
    server.close();
  });

  test("that cannot be reached has an error on the error channel", async () => {
    const { socket } = await startFake(api);
    const { heard, closed } = await peer(socket, "/portForward/default/web?port=81", "v4.channel.k8s.io");
    await closed;
    expect(heard).toEqual(["0:Q\0", "1:Q\0", "1:port 81: connection refused"]);
  });

  test("whose client leaves is left as well", async () => {
    let destroyed: () => void = () => undefined;
    const gone = new Promise<void>((resolve) => {
      destroyed = resolve;
    });
    api.ports[83] = () =>
      new Duplex({
        read: () => undefined,
        write: (_chunk, _encoding, done) => done(),
        destroy: (_error, done) => {
          destroyed();
          done(null);
        },
      });
    const { socket } = await startFake(api);
    const { socket: websocket, heard } = await peer(socket, "/portForward/default/web?port=83", "v5.channel.k8s.io");
    await until(() => heard.length === 2);
    websocket.terminate();
    await gone;
  });
});

test("a peer that is silent for a minute, even to a ping, is disconnected", async () => {
  const { socket } = await exec();
  const clock = new VirtualClock();
  const connection = new ChannelConnection(socket);
  socket.pong = () => undefined;
  socket.ping = () => undefined;
  connection.watch(clock, 3_600_000);
  await clock.advance(60_000);
  expect(connection.closed.aborted).toBe(false);
  await clock.advance(10_000);
  await until(() => connection.closed.aborted);
});

test("a session in which no message comes or goes for the whole time is broken off: pings are no messages", async () => {
  const { socket, heard } = await exec();
  const clock = new VirtualClock();
  const connection = new ChannelConnection(socket);
  connection.watch(clock, 100_000);
  const beats = async (count: number): Promise<void> => {
    for (let beat = 0; beat < count; beat += 1) {
      const there = new Promise((resolve) => socket.once("pong", resolve));
      await clock.advance(5_000);
      await there;
    }
  };
  await beats(18);
  connection.send(0, Buffer.from("x"));
  // What comes back is a message too.
  await until(() => heard.includes("1:x"));
  await beats(18);
  expect(connection.closed.aborted).toBe(false);
  await clock.advance(50_000);
  await until(() => connection.closed.aborted);
});
