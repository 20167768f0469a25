/** `kubectl attach` as it comes to a node: by a websocket, or by SPDY, each carried to the runtime's own streaming server. */
import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import type { Duplex } from "node:stream";
import { systemClock } from "@hooklet/utils";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { WebSocket, WebSocketServer } from "ws";
import { SpdyClient } from "../../../../runtime-cri/src/stream/spdy-client.js";
import { acceptSpdy } from "../../../src/streams/spdy-connection.js";
import { FakeAgent } from "../../fake-agent.js";
import { aPod } from "../../samples.js";
import { type NodeServer, startNodeServer } from "./start-node-server.js";

const endings: (() => unknown)[] = [];
let api: FakeAgent;
let node: NodeServer;
/** What the runtime was asked, and whether its connection has ended. */
let asked: { url: string; protocol: string; closed: boolean } | undefined;

/** Says back in capitals what it hears, until its input ends. */
function runtime(): http.Server {
  const server = http.createServer();
  const websockets = new WebSocketServer({ noServer: true, handleProtocols: () => "v5.channel.k8s.io" });
  server.on("upgrade", (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const seen = { url: request.url ?? "", protocol: request.headers.upgrade ?? "", closed: false };
    asked = seen;
    socket.once("close", () => {
      seen.closed = true;
    });
    if (request.headers.upgrade === "websocket") {
      websockets.handleUpgrade(request, socket, head, (client) => {
        client.on("message", (data: Buffer) => {
          if (data[0] === 0) client.send(Buffer.concat([Buffer.of(1), upper(data.subarray(1))]));
          else if (data[0] === 255) client.close();
        });
      });
      return;
    }
    const streams = new Map<string, Duplex>();
    acceptSpdy(socket, head, "v4.channel.k8s.io", (headers, stream) => {
      streams.set(headers.get("streamtype") ?? "", stream);
      const [stdin, stdout, error] = ["stdin", "stdout", "error"].map((name) => streams.get(name));
      if (stdin === undefined || stdout === undefined || error === undefined) return;
      stdin.on("data", (data: Buffer) => stdout.write(upper(data)));
      stdin.on("end", () => {
        stdout.end();
        error.end('{"status":"Success"}');
      });
    });
  });
  return server;
}

function upper(data: Buffer): Buffer {
  return Buffer.from(data.toString().toUpperCase());
}

beforeEach(async () => {
  asked = undefined;
  const server = runtime();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  endings.push(() => new Promise((resolve) => server.close(resolve)));
  api = new FakeAgent();
  api.setPods([aPod("web")]);
  const { port } = server.address() as AddressInfo;
  api.streamUrls = async () => `http://127.0.0.1:${port}/attach/token`;
  node = await startNodeServer(api);
  endings.push(() => node.stop());
});

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

const path = "/attach/default/web/main?input=1&output=1";

test("by a websocket: what is typed comes back, and a client that leaves takes the runtime's connection with it", async () => {
  const socket = new WebSocket(`${node.url.replace("https", "wss")}${path}`, ["v5.channel.k8s.io"], node.credentials);
  await once(socket, "open");
  expect(socket.protocol).toBe("v5.channel.k8s.io");
  socket.send(Buffer.concat([Buffer.of(0), Buffer.from("hello")]));
  const [answer] = (await once(socket, "message")) as [Buffer];
  expect([answer[0], answer.subarray(1).toString()]).toEqual([1, "HELLO"]);
  expect(asked).toMatchObject({ url: "/attach/token", protocol: "websocket" });
  expect(api.calls).toContainEqual([
    "streamUrl",
    expect.objectContaining({ namespace: "default", name: "web" }),
    { kind: "attach", container: "main", tty: false, stdin: true, stdout: true, stderr: false },
  ]);
  socket.terminate();
  for (let tries = 0; tries < 6_000 && !asked?.closed; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(asked?.closed).toBe(true);
});

test("by SPDY: what is typed comes back, and the end of the input ends it in order", async () => {
  const { hostname, port } = new URL(node.url);
  const headers = { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": "v4.channel.k8s.io" };
  const request = https.request({ hostname, port, path, method: "POST", headers, agent: false, ...node.credentials });
  request.end();
  const [response, socket] = (await once(request, "upgrade")) as [IncomingMessage, Duplex];
  expect([response.statusCode, response.headers["x-stream-protocol-version"]]).toEqual([101, "v4.channel.k8s.io"]);
  const client = new SpdyClient(socket, systemClock);
  const error = await client.open({ streamtype: "error" });
  const stdin = await client.open({ streamtype: "stdin" });
  const stdout = await client.open({ streamtype: "stdout" });
  for (const stream of [error, stdin, stdout]) stream.on("error", () => undefined);
  stdin.write("hello");
  const [answer] = (await once(stdout, "data")) as [Buffer];
  expect(answer.toString()).toBe("HELLO");
  stdin.end();
  const [status] = (await once(error, "data")) as [Buffer];
  expect(JSON.parse(status.toString())).toEqual({ status: "Success" });
  client.close();
});

test("a runtime without a streaming server is an HTTP error with that", async () => {
  api.streamUrls = async () => undefined;
  const socket = new WebSocket(`${node.url.replace("https", "wss")}${path}`, ["v5.channel.k8s.io"], node.credentials);
  socket.on("error", () => undefined);
  const [, response] = (await once(socket, "unexpected-response")) as [unknown, IncomingMessage];
  expect(response.statusCode).toBe(501);
  socket.terminate();
});
