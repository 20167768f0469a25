/** A client with many connections or streams does not keep others from the health of the agent. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { VirtualClock } from "@hooklet/testkit";
import { expect, test } from "@jest/globals";
import { control, healthPort, nodeServer, readOnlyPort } from "../../src/endpoints.js";
import { StreamPool } from "../../src/stream-pool.js";
import { startFake } from "../start.js";

async function hold(url: string, count: number, request: string): Promise<Socket[]> {
  const { port } = new URL(url);
  return Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect(Number(port), "127.0.0.1");
      socket.on("error", () => undefined);
      await once(socket, "connect");
      socket.write(request);
      return socket;
    }),
  );
}

async function until(what: () => boolean): Promise<void> {
  for (let tries = 0; tries < 3_000 && !what(); tries += 1) await pause(10);
  expect(what()).toBe(true);
}

const release = (sockets: readonly Socket[]): void => {
  for (const socket of sockets) socket.destroy();
};

test("256 idle watchers of /events do not keep /healthz from answering, on any endpoint", async () => {
  const { url, readUrl, client } = await startFake();
  const watch = "GET /events?watch HTTP/1.1\r\nHost: localhost\r\n\r\n";
  const watchers = [...(await hold(url, 300, watch)), ...(await hold(readUrl, 300, watch))];
  await pause(100);
  for (const endpoint of [url, readUrl]) expect(await (await fetch(`${endpoint}/healthz`)).text()).toBe("ok");
  expect(await client.version()).toMatchObject({ nodeName: "node1" });
  release(watchers);
});

test("idle connections do not shut out others either: the oldest one is closed", async () => {
  const { url } = await startFake();
  const silent = await hold(url, 300, "");
  await pause(100);
  expect(await (await fetch(`${url}/healthz`)).text()).toBe("ok");
  await until(() => silent.some(({ closed }) => closed));
  expect(silent.at(-1)?.closed).toBe(false);
  release(silent);
});

test("a client that keeps sending requests without reading answers is cut off, on any endpoint: one chunk is not a thousand answers", async () => {
  const { url, readUrl, socket, readOnlySocket, api } = await startFake();
  const port = (address: string) => ({ port: Number(new URL(address).port), host: "127.0.0.1" });
  for (const endpoint of [port(url), port(readUrl), { path: socket }, { path: readOnlySocket }]) {
    api.requests.length = 0;
    const client = connect(endpoint);
    client.on("error", () => undefined);
    client.resume();
    const closed = once(client, "close");
    client.write("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(1_000));
    await closed;
    expect(api.requests.length).toBeLessThan(10);
  }
});

test("a client that waits for each answer may use one connection without limit", async () => {
  const { url } = await startFake();
  const client = connect(Number(new URL(url).port), "127.0.0.1");
  for (let asked = 0; asked < 200; asked += 1) {
    client.write("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const [answer] = (await once(client, "data")) as [Buffer];
    expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /);
  }
  client.destroy();
});

test("a stream too many is refused with 429, and its place is free again once another ends", async () => {
  const { readUrl } = await startFake();
  const { atOnce } = readOnlyPort.streams;
  const given = new AbortController();
  const ask = (signal?: AbortSignal) => fetch(`${readUrl}/events?watch`, signal === undefined ? {} : { signal });
  const first = await ask(given.signal);
  const rest = await Promise.all(Array.from({ length: atOnce - 1 }, () => ask()));
  const refused = await ask();
  expect([refused.status, await refused.json()]).toEqual([
    429,
    { error: expect.stringContaining(`${atOnce}`), code: "BUSY" },
  ]);
  given.abort();
  await first.body?.cancel().catch(() => undefined);
  let again = await ask();
  // The server hears of it a moment later.
  for (let tries = 0; tries < 1_000 && again.status === 429; tries += 1) {
    await again.body?.cancel();
    await pause(20);
    again = await ask();
  }
  expect(again.status).toBe(200);
  await Promise.all([...rest, again].map(({ body }) => body?.cancel()));
});

test("a stream in which nothing is sent ends after its idle time, and every passing one after its whole time", async () => {
  const clock = new VirtualClock();
  const limits = { atOnce: 2, idle: 1_000, total: 10_000 };
  const pool = new StreamPool(limits, clock);
  const quiet = pool.open();
  quiet.readable.resume();
  await clock.advance(999);
  expect(quiet.closed).toBe(false);
  await clock.advance(1);
  expect(quiet.closed).toBe(true);
  const busy = pool.open();
  busy.readable.resume();
  for (let at = 0; at < 10_000 && !busy.closed; at += 500) {
    busy.send({ at });
    await clock.advance(500);
  }
  expect(busy.closed).toBe(true);
});

test("streams of unauthenticated clients end soon, all others within the kubelet's four hours", () => {
  for (const { streams } of [healthPort, readOnlyPort]) {
    expect(streams.idle).toBeLessThanOrEqual(600_000);
    expect(streams.total).toBeLessThanOrEqual(3_600_000);
  }
  const hours = 4 * 3_600_000;
  expect([control.streams, nodeServer.streams]).toEqual([
    { atOnce: 256, idle: hours, total: hours },
    { atOnce: 1_024, idle: hours, total: hours },
  ]);
});

/** Reads what comes on a connection until it is closed. */
const ended = async (socket: Socket): Promise<void> => {
  socket.on("error", () => undefined);
  socket.resume();
  await once(socket, "close");
};

test.each([
  ["without a Host", "GET /healthz HTTP/1.1\r\n\r\n"],
  ["that expect what nobody knows", "GET /healthz HTTP/1.1\r\nHost: localhost\r\nExpect: more\r\n\r\n"],
])("a thousand requests %s in one piece have no thousand answers", async (_what, request) => {
  const { url } = await startFake();
  const client = connect(Number(new URL(url).port), "127.0.0.1");
  const chunks: Buffer[] = [];
  client.on("data", (chunk: Buffer) => chunks.push(chunk));
  client.write(request.repeat(1_000));
  await ended(client);
  expect(Buffer.concat(chunks).toString().split("HTTP/1.1 ").length).toBeLessThan(10);
});

test("a client that requests metrics on all connections of the port, over and over, does not shut out health checks", async () => {
  const { url } = await startFake();
  const answered = async (socket: Socket, path: string): Promise<string> => {
    socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    const [answer] = (await once(socket, "data")) as [Buffer];
    return answer.toString();
  };
  const [healthy] = (await hold(url, 1, "")) as [Socket];
  expect(await answered(healthy, "/healthz")).toMatch(/^HTTP\/1\.1 200 /);
  const crowd: Socket[] = [];
  for (let round = 0; round < 10; round += 1) {
    const some = await hold(url, 60, "");
    await Promise.all(some.map((socket) => answered(socket, "/metrics")));
    crowd.push(...some, ...(await hold(url, 60, "")));
    // Asked before the server lets it go for its silence.
    expect(await answered(healthy, "/healthz")).toMatch(/^HTTP\/1\.1 200 /);
  }
  await until(() => crowd.some(({ closed }) => closed));
  expect(healthy.closed).toBe(false);
  release([healthy, ...crowd]);
}, 60_000);
