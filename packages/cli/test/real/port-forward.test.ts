import { connect, createServer, type Server } from "node:net";
import { Duplex } from "node:stream";
import { RuntimeError } from "@hooklet/core/host";
import { afterEach, describe, expect, test } from "@jest/globals";
import { FakeAgent } from "../../../server/test/fake-agent.js";
import { aPod } from "../../../server/test/samples.js";
import { startFake } from "../../../server/test/start.js";
import { parseForward, withNumber } from "../../src/commands/port-forward.js";
import { type FakeIo, fakeIo, hooklet } from "../cli.js";

test.each([
  { text: "80", local: 80, remote: 80 },
  { text: "8080:80", local: 8080, remote: 80 },
  { text: ":80", local: 0, remote: 80 },
])("$text is local port $local and the pod's port $remote", ({ text, local, remote }) => {
  expect(parseForward(text)).toEqual({ local, remote });
});

test.each(["", "0", "65536", "a", "80:", "8080:80:1", "70000:80", "-1"])("%j is no port", (text) => {
  expect(() => parseForward(text)).toThrow("[LOCAL:]PORT");
});

test.each([
  { text: "http", number: "8080" },
  { text: "80:http", number: "80:8080" },
  { text: ":web-2", number: ":9090" },
  { text: "80:81", number: "80:81" },
  { text: "nonsense:", number: "nonsense:" },
])("a port of a container goes by its name: $text is $number", ({ text, number }) => {
  const ports = [
    { name: "http", containerPort: 8080 },
    { name: "web-2", containerPort: 9090 },
  ];
  const pod = aPod("web", { spec: { containers: [{ name: "main", image: "host", ports }] } });
  expect(withNumber(text, pod)).toBe(number);
  expect(() => withNumber("htp", pod)).toThrow('Did you mean "http"?');
});

describe("a forwarded port", () => {
  const servers: Server[] = [];
  afterEach(() => {
    for (const server of servers.splice(0)) server.close();
  });

  /** A program in a pod: it says what it heard once its peer has said all. */
  async function podPort(): Promise<FakeAgent> {
    const server = createServer({ allowHalfOpen: true }, (socket) => {
      let heard = 0;
      socket.on("data", (chunk: Buffer) => {
        heard += chunk.length;
      });
      socket.on("end", () => socket.end(`heard ${heard}`));
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    const api = new FakeAgent();
    api.setPods([aPod("web")]);
    api.ports[80] = () => connect({ port, host: "127.0.0.1", allowHalfOpen: true });
    return api;
  }

  async function forwarded(
    ports: string,
    api: FakeAgent,
  ): Promise<{ readonly io: FakeIo; readonly port: number; end(): Promise<number> }> {
    const { socket } = await startFake(api);
    const io = fakeIo();
    const running = hooklet(["--socket", socket, "port-forward", "web", ports], io);
    const line = /Forwarding from 127\.0\.0\.1:(\d+) -> \d+\n/;
    while (!line.test(io.stdout.text)) await new Promise((resolve) => setTimeout(resolve, 5));
    return {
      io,
      port: Number(line.exec(io.stdout.text)?.[1]),
      end: async () => {
        io.signals.emit("SIGINT");
        return (await running).code;
      },
    };
  }

  async function talk(port: number, say: Buffer): Promise<string> {
    const socket = connect(port, "127.0.0.1");
    socket.end(say);
    let text = "";
    for await (const chunk of socket) text += String(chunk);
    return text;
  }

  test("carries whole connections both ways, several at a time, with their ends", async () => {
    const { port, end } = await forwarded(":80", await podPort());
    const sizes = [0, 5, 3_000_000];
    expect(await Promise.all(sizes.map((size) => talk(port, Buffer.alloc(size))))).toEqual(
      sizes.map((size) => `heard ${size}`),
    );
    expect(await end()).toBe(0);
    await expect(talk(port, Buffer.from("x"))).rejects.toThrow("ECONNREFUSED");
  });

  test("without a listener is reported, and the next connection is tried again", async () => {
    const { io, port, end } = await forwarded(":81", await podPort());
    for (const _ of [1, 2]) expect(await talk(port, Buffer.from("x"))).toBe("");
    expect(io.stderr.text).toBe(`Forwarding ${port} -> 81 failed: port 81: connection refused\n`.repeat(2));
    expect(await end()).toBe(0);
  });

  test("whose connection breaks before any byte reports why", async () => {
    const api = await podPort();
    const refuse = new RuntimeError("unavailable", "port 82: reset by peer");
    api.ports[82] = () => new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done(refuse) });
    const { io, port, end } = await forwarded(":82", api);
    expect(await talk(port, Buffer.from("x"))).toBe("");
    expect(io.stderr.text).toBe(`Forwarding ${port} -> 82 failed: port 82: reset by peer\n`);
    await end();
  });

  test("of a pod that is not there is refused", async () => {
    const { socket } = await startFake(new FakeAgent());
    expect(await hooklet(["--socket", socket, "port-forward", "web", ":80"])).toMatchObject({
      code: 1,
      err: expect.stringContaining("web"),
    });
  });
});

test("a pod that does not run is refused at once, with what explains it", async () => {
  const { api, socket } = await startFake();
  api.setPods([aPod("web", { status: { phase: "Pending" } })]);
  expect(await hooklet(["--socket", socket, "port-forward", "web", ":80"])).toMatchObject({
    code: 1,
    out: "",
    err: "error: Pod web is not running: its phase is Pending. hooklet explain pod web says why.\n",
  });
});

test("a runtime that cannot forward is reported before anything listens", async () => {
  const { api, socket } = await startFake();
  api.can = { portForward: false, importImage: false };
  api.setPods([aPod("web")]);
  const io = fakeIo({ HOOKLET_SOCKET: socket });
  expect(await hooklet("port-forward web 8080:80", io)).toMatchObject({
    code: 1,
    out: "",
    err: expect.stringContaining("cannot forward ports"),
  });
});
