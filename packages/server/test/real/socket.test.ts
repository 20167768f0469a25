import { chown, mkdir, stat, writeFile } from "node:fs/promises";
import { type OutgoingHttpHeaders, request } from "node:http";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { AgentClient } from "@hooklet/cli/client";
import { systemClock } from "@hooklet/utils";
import { expect, test } from "@jest/globals";
import { pino } from "pino";
import { startServers } from "../../src/servers.js";
import { FakeAgent } from "../fake-agent.js";
import { startFake, temporaryFolder } from "../start.js";

const log = pino({ level: "silent" });

test("the control socket is 0600 and goes away with the agent", async () => {
  const { socket, stop } = await startFake();
  expect((await stat(socket)).mode & 0o777).toBe(0o600);
  await stop();
  await expect(stat(socket)).rejects.toThrow("ENOENT");
});

test("the socket file of a dead agent is replaced", async () => {
  const folder = await temporaryFolder();
  const socket = join(folder, "hooklet.sock");
  const dead = await startServers({
    api: new FakeAgent(),
    socket: join(folder, "d.sock"),
    port: 0,
    clock: systemClock,
    log,
  });
  const { rename } = await import("node:fs/promises");
  await rename(join(folder, "d.sock"), socket);
  await dead.stop();
  expect((await stat(socket)).isSocket()).toBe(true);
  const living = await startServers({ api: new FakeAgent(), socket, port: 0, clock: systemClock, log });
  const client = new AgentClient(socket);
  expect(await client.version()).toEqual({ version: "1.2.3", nodeName: "node1" });
  await client.close();
  await living.stop();
});

test("a living agent's socket is never taken over", async () => {
  const { socket, client } = await startFake();
  await expect(startServers({ api: new FakeAgent(), socket, port: 0, clock: systemClock, log })).rejects.toThrow(
    /Another agent answers on/,
  );
  expect(await client.version()).toMatchObject({ version: "1.2.3" });
});

test("a file that is no socket is left alone", async () => {
  const socket = join(await temporaryFolder(), "hooklet.sock");
  await writeFile(socket, "precious");
  await expect(startServers({ api: new FakeAgent(), socket, port: 0, clock: systemClock, log })).rejects.toThrow(
    /not a socket/,
  );
});

(process.geteuid?.() === 0 ? test : test.skip)("a socket's folder that another user has made is refused", async () => {
  const folder = join(await temporaryFolder(), "theirs");
  await mkdir(folder);
  await chown(folder, 65_534, 65_534);
  const options = { api: new FakeAgent(), port: 0, clock: systemClock, log };
  const socket = join(folder, "run", "hooklet.sock");
  await expect(startServers({ ...options, socket })).rejects.toThrow("owner 65534 (choose another place");
  const servers = await startServers({ ...options, socket, sudoUid: 65_534 });
  await servers.stop();
});

test("a path longer than the kernel takes is refused with the number of bytes", async () => {
  const folder = join(await temporaryFolder(), "x".repeat(100));
  await mkdir(folder);
  const starting = startServers({ api: new FakeAgent(), socket: join(folder, "s"), port: 0, clock: systemClock, log });
  await expect(starting).rejects.toThrow(/the kernel takes 107/);
});

test("a port that is taken leaves no socket behind and names --port", async () => {
  // The check for the owner of the port is read from: otherwise it keeps its connection, and so the port, open.
  const other = createServer((connection) => connection.resume());
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  const socket = join(await temporaryFolder(), "hooklet.sock");
  const starting = startServers({ api: new FakeAgent(), socket, port, clock: systemClock, log });
  await expect(starting).rejects.toThrow(`127.0.0.1:${port}`);
  await expect(stat(socket)).rejects.toThrow("ENOENT");
  await new Promise((resolve) => other.close(resolve));
});

test.each([
  { name: "that cannot be decoded", path: "/portForward/d%fault/web?port=80", status: 400, code: "INVALID" },
  { name: "that is no stream", path: "/pods", status: 404, code: "NOT_FOUND" },
])("an upgrade to a path $name is refused, and its connection ends", async ({ path, status, code }) => {
  const { socket } = await startFake();
  const head = `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`;
  const key = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  const said = await new Promise<string>((resolve, reject) => {
    let text = "";
    // The client leaves its own side open: the server has to end it.
    const client = connect({ path: socket, allowHalfOpen: true }, () => client.write(`${head}${key}\r\n`));
    client.on("data", (chunk) => {
      text += String(chunk);
    });
    client.on("end", () => client.end());
    client.on("close", () => resolve(text));
    client.on("error", reject);
  });
  expect(said).toContain(`HTTP/1.1 ${status} `);
  expect(said).toContain(`"code":"${code}"`);
  expect(said).toContain("x-content-type-options: nosniff\r\ncache-control: no-store\r\n");
});

test.each([
  { name: "no upgrade", path: "/exec/default/web/main?output=1&command=sh", headers: {}, error: /upgrade/ },
  {
    name: "a protocol of its own",
    path: "/exec/default/web/main?output=1&command=sh",
    headers: { "sec-websocket-protocol": "v9.own" },
    error: /expected one of v5\.channel\.k8s\.io, v4\.channel\.k8s\.io, found "v9\.own"/,
  },
  {
    name: "no command",
    path: "/exec/default/web/main?output=1",
    headers: { "sec-websocket-protocol": "v5.channel.k8s.io" },
    error: /^you must specify a command/,
  },
  {
    name: "the path of an earlier version's client",
    path: "/exec/default/web?command=sh&output=1",
    headers: { "sec-websocket-protocol": "v5.channel.k8s.io" },
    error:
      /^expected \/exec\/NAMESPACE\/POD\[\/UID\]\/CONTAINER\. This agent is hooklet 1\.2\.3; "hooklet version -o json" shows/,
  },
  {
    name: "a port that is none",
    path: "/portForward/default/web?port=0",
    headers: { "sec-websocket-protocol": "v5.channel.k8s.io" },
    error: /^every port must be a whole number from 1 to 65535/,
  },
])(
  "a websocket with $name is refused as the client's fault, in one sentence",
  async ({ name, path, headers, error }) => {
    const { socket } = await startFake();
    const upgrade = {
      connection: "Upgrade",
      upgrade: "websocket",
      "sec-websocket-version": "13",
      "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    };
    const answer = await get(socket, path, name === "no upgrade" ? {} : { ...upgrade, ...headers });
    expect(answer).toEqual({ status: 400, body: { code: "INVALID", error: expect.stringMatching(error) } });
  },
);

function get(
  socketPath: string,
  path: string,
  headers: OutgoingHttpHeaders,
): Promise<{ status?: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const asked = request({ socketPath, path, headers }, (answer) => {
      let text = "";
      answer.on("data", (chunk) => {
        text += String(chunk);
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) }));
    });
    asked.on("error", reject);
    asked.end();
  });
}
