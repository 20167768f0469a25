/** Who may come in at 10250, when, and whose connection gives way. */
import { once } from "node:events";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import https from "node:https";
import { connect } from "node:net";
import path from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as pause } from "node:timers/promises";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { ServingCertificate } from "@hooklet/core/subsystem";
import { afterEach, describe, expect, test } from "@jest/globals";
import { FakeAgent } from "../../fake-agent.js";
import { authorityAndClient } from "./certificates.js";
import { bindNodeServer, type NodeServer } from "./start-node-server.js";

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

test("a connection before its handshake does not delay the end of the server", async () => {
  const node = await bindNodeServer();
  await node.serve(new FakeAgent());
  const socket = connect(Number(new URL(node.url).port), "127.0.0.1");
  socket.on("error", () => undefined);
  const closed = once(socket, "close");
  await once(socket, "connect");
  // Taken by the server: the one that comes after it is answered.
  await shownBy(node);
  await node.stop();
  await closed;
}, 60_000);

test("the start of the agent leaves no moment without authentication", async () => {
  const node = await bindNodeServer();
  endings.push(() => node.stop());
  const seen = new Set<number>();
  let serving = false;
  const ask = (): Promise<number> =>
    new Promise((resolve, reject) => {
      https
        .get(`${node.url}/pods`, { rejectUnauthorized: false, agent: false }, (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        })
        .on("error", reject);
    });
  const asking = Array.from({ length: 8 }, async () => {
    for (let after = 0; after < 3; after += Number(serving)) seen.add(await ask());
  });
  while (seen.size === 0) await pause(5);
  await pause(50);
  await node.serve(new FakeAgent());
  serving = true;
  await Promise.all(asking);
  expect([...seen].sort()).toEqual([401, 503]);
});

const LONG = `/${"a".repeat(64 * 1024)}`;

describe.each([
  { who: "without credentials", shows: () => ({}) },
  { who: "with an unsigned certificate", shows: (node: NodeServer) => node.stranger },
])("a client $who gets 401", ({ shows }) => {
  test.each([
    ["GET", "/"],
    ["GET", "/%zz"],
    ["GET", "/pods/%"],
    ["GET", LONG],
    ["GET", `/containerLogs/a/b${LONG}`],
    ["GET", "//pods"],
    ["GET", "/no-such-place?%zz"],
    ["GET", "https://node1/pods"],
    ["GET", "https://node1"],
    ["OPTIONS", "*"],
    ["OPTIONS", "/pods"],
    ["TRACE", "/pods"],
    ["PROPFIND", "/pods"],
    ["M-SEARCH", "*"],
    ["PURGE", "/%zz"],
    ["POST", "/exec/ns/p/%zz?command=ls&output=1"],
  ])("for %s of path %#, also as an upgrade to SPDY and to a websocket", async (method, path) => {
    const node = await bindNodeServer();
    endings.push(() => node.stop());
    await node.serve(new FakeAgent());
    for (const upgrade of [undefined, "SPDY/3.1", "websocket"]) {
      const line = await statusLine(node, shows(node), method, path, upgrade);
      expect({ path: path.slice(0, 40), upgrade, line }).toMatchObject({ line: "HTTP/1.1 401 Unauthorized" });
    }
  });
});

test("a known client's path that cannot be decoded is 400, and one that is too long is none", async () => {
  const node = await bindNodeServer();
  endings.push(() => node.stop());
  await node.serve(new FakeAgent());
  expect(await statusLine(node, node.credentials, "GET", "/%zz")).toBe("HTTP/1.1 400 Bad Request");
  expect(await statusLine(node, node.credentials, "GET", `/containerLogs/a/b${LONG}`)).toMatch(/^HTTP\/1.1 4\d\d /);
  expect(await statusLine(node, node.credentials, "OPTIONS", "*")).toBe("HTTP/1.1 404 Not Found");
});

test("what is refused is counted as a request too", async () => {
  const node = await bindNodeServer();
  endings.push(() => node.stop());
  const api = new FakeAgent();
  await node.serve(api);
  await statusLine(node, {}, "GET", "/pods");
  expect(api.requests).toEqual([{ method: "GET", path: "others", serverType: "readwrite", longRunning: false }]);
});

test("a client that sends a thousand unknown tokens in one chunk causes two reviews at most", async () => {
  const node = await bindNodeServer({ mode: "Webhook" });
  endings.push(() => node.stop());
  const api = new FakeAgent();
  let asked = 0;
  api.reviews = {
    reviewToken: () => {
      asked += 1;
      return new Promise(() => undefined);
    },
    reviewAccess: async () => ({ allowed: false }),
  };
  await node.serve(api);
  const client = connectTls({ port: Number(new URL(node.url).port), host: "127.0.0.1", rejectUnauthorized: false });
  client.on("error", () => undefined);
  client.resume();
  const closed = once(client, "close");
  const request = (token: number) => `GET /pods HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`;
  client.write(Array.from({ length: 1_000 }, (_, token) => request(token)).join(""));
  await closed;
  expect(asked).toBeLessThanOrEqual(2);
}, 60_000);

test("a certificate that a plugin has signed is served as soon as there is one, and the next one after it", async () => {
  const [first, second] = [await authorityAndClient(), await authorityAndClient()];
  const node = await bindNodeServer();
  endings.push(() => node.stop());
  let current: ReturnType<ServingCertificate["current"]>;
  const { api, tell } = signing(() => current);
  await node.serve(api);
  expect(await shownBy(node)).toMatch(/^node1@/);
  for (const { client } of [first, second]) {
    current = client;
    tell();
    let name = await shownBy(node);
    for (let tries = 0; tries < 5_000 && name !== "kube-apiserver"; tries += 1) name = await shownBy(node);
    expect(name).toBe("kube-apiserver");
  }
});

test("while the agent is handed over, its server only says that it is starting, and keeps the certificate that a plugin had", async () => {
  const { client } = await authorityAndClient();
  const node = await bindNodeServer();
  endings.push(() => node.stop());
  await node.serve(signing(() => client).api);
  await node.handOver();
  const asked = () => statusLine(node, node.credentials, "GET", "/pods");
  expect(await asked()).toBe("HTTP/1.1 503 Service Unavailable");
  // Its plugin has not read the certificate yet.
  await node.serve(signing(() => undefined).api);
  expect(await asked()).toBe("HTTP/1.1 200 OK");
  expect(await shownBy(node)).toBe("kube-apiserver");
});

test("of two certificate checks the later one wins, however long the earlier one takes", async () => {
  const { client } = await authorityAndClient();
  const node = await bindNodeServer();
  endings.push(() => node.stop());
  // The one that finds nothing signed has to make a certificate first.
  const answers = [undefined, undefined, client];
  const { api, tell } = signing(() => (answers.length > 1 ? answers.shift() : client));
  await node.serve(api);
  const folder = path.join(node.folder, "pki");
  await rm(folder, { recursive: true });
  tell();
  tell();
  while (!existsSync(path.join(folder, "kubelet.crt"))) await pause(5);
  while ((await shownBy(node)) !== "kube-apiserver") await pause(5);
  await pause(200);
  expect(await shownBy(node)).toBe("kube-apiserver");
});

/** The first line of the answer to a request that is written as it stands: a client of Node's would mend it. */
async function statusLine(
  { url }: NodeServer,
  shows: object,
  method: string,
  path: string,
  upgrade?: string,
): Promise<string> {
  const client = connectTls({
    port: Number(new URL(url).port),
    host: "127.0.0.1",
    rejectUnauthorized: false,
    ...shows,
  });
  const upgrades =
    upgrade === undefined
      ? "Connection: close"
      : `Connection: Upgrade\r\nUpgrade: ${upgrade}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${"A".repeat(22)}==`;
  client.write(`${method} ${path} HTTP/1.1\r\nHost: node1\r\n${upgrades}\r\n\r\n`);
  const answer = await text(client);
  return answer.split("\r\n", 1)[0] ?? "";
}

/** An agent whose certificate is signed by a plugin. */
function signing(current: ServingCertificate["current"]): { readonly api: FakeAgent; tell(): void } {
  const listeners = new Set<() => void>();
  const api = new FakeAgent();
  api.servingCertificate = {
    current,
    watch: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  return {
    api,
    tell: () => {
      for (const listener of listeners) listener();
    },
  };
}

/** The name in the certificate that a new connection gets. */
function shownBy({ url, credentials }: NodeServer): Promise<string> {
  return new Promise((resolve, reject) => {
    https
      .get(`${url}/healthz`, { ...credentials, agent: false }, ({ socket }) => {
        resolve(String((socket as TLSSocket).getPeerCertificate().subject.CN));
        socket.destroy();
      })
      .on("error", reject);
  });
}
