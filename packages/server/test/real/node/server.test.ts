/** The kubelet's server over a fake agent: real TLS, real certificates, a streaming server of a runtime behind it. */

import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import path from "node:path";
import type { Reviews } from "@hooklet/core/subsystem";
import { afterEach, expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import { FakeAgent } from "../../fake-agent.js";
import { aPod } from "../../samples.js";
import { type NodeServer, type NodeServerSettings, startNodeServer } from "./start-node-server.js";

let node: NodeServer;
const endings: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function start(api: FakeAgent, settings?: NodeServerSettings): Promise<NodeServer> {
  const started = await startNodeServer(api, settings);
  endings.push(() => started.stop());
  node = started;
  return started;
}

const asClient = () => node.credentials;

function get(url: string, options: https.RequestOptions = asClient()): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const request = https.get(url, { rejectUnauthorized: false, agent: false, ...options }, (response) => {
      let body = "";
      response.on("data", (chunk) => {
        body += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body }));
    });
    request.on("error", reject);
  });
}

function reviewing(): { reviews: Reviews; asked: unknown[] } {
  const asked: unknown[] = [];
  return {
    asked,
    reviews: {
      reviewToken: async ({ token }) => {
        asked.push(token);
        return token === "good"
          ? { authenticated: true, user: { username: "metrics", groups: ["g"] } }
          : { authenticated: false };
      },
      reviewAccess: async ({ user, resourceAttributes }) => {
        asked.push([user, resourceAttributes?.verb, resourceAttributes?.subresource, resourceAttributes?.name]);
        return { allowed: user === "kube-apiserver" || resourceAttributes?.subresource === "metrics" };
      },
    },
  };
}

test("a certificate of the authority is accepted; others are not, nor a self-signed one", async () => {
  const { url, stranger } = await start(new FakeAgent());
  expect(await get(`${url}/healthz`)).toEqual({ status: 200, body: "ok" });
  expect(await get(`${url}/healthz`, {})).toEqual({ status: 401, body: "Unauthorized" });
  expect((await get(`${url}/healthz`, stranger)).status).toBe(401);
});

test("the API server authenticates and authorizes a token, and is called once for as long as its answer holds", async () => {
  const api = new FakeAgent();
  const { reviews, asked } = reviewing();
  api.reviews = reviews;
  const { url } = await start(api, { mode: "Webhook" });
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  expect((await get(`${url}/metrics`, bearer("good"))).status).toBe(200);
  expect((await get(`${url}/metrics`, bearer("good"))).status).toBe(200);
  expect(await get(`${url}/pods`, bearer("good"))).toEqual({
    status: 403,
    body: "Forbidden (user=metrics, verb=get, resource=nodes, subresource(s)=[pods proxy])\n",
  });
  expect((await get(`${url}/metrics`, bearer("bad"))).status).toBe(401);
  expect((await get(`${url}/pods`)).status).toBe(200);
  expect(asked).toEqual([
    "good",
    ["metrics", "get", "metrics", "node1"],
    ["metrics", "get", "pods", "node1"],
    ["metrics", "get", "proxy", "node1"],
    "bad",
    ["kube-apiserver", "get", "pods", "node1"],
  ]);
});

test("an API server that does not answer denies access, and affects no later try", async () => {
  const api = new FakeAgent();
  let away = true;
  api.reviews = {
    reviewToken: async () => ({ authenticated: false }),
    reviewAccess: async () => {
      if (away) throw new Error("connection refused");
      return { allowed: true };
    },
  };
  const { url } = await start(api, { mode: "Webhook" });
  expect(await get(`${url}/pods`)).toEqual({
    status: 500,
    body: "Authorization error (user=kube-apiserver, verb=get, resource=nodes, subresource=pods)",
  });
  away = false;
  expect((await get(`${url}/pods`)).status).toBe(200);
});

test("anonymous requests are those of system:anonymous where that is allowed; bad credentials are not anonymous", async () => {
  const api = new FakeAgent();
  api.reviews = reviewing().reviews;
  const { url } = await start(api, { mode: "Webhook", anonymous: true });
  expect((await get(`${url}/metrics`, {})).status).toBe(200);
  expect(await get(`${url}/pods`, {})).toMatchObject({
    status: 403,
    body: expect.stringContaining("user=system:anonymous"),
  });
  expect((await get(`${url}/metrics`, { headers: { authorization: "Bearer bad" } })).status).toBe(401);
});

test("a server that could authenticate no client does not start", async () => {
  await expect(start(new FakeAgent(), { mode: "Webhook" })).rejects.toThrow(
    /server.authorization.mode: Webhook asks the API server/,
  );
});

test("a log: its last lines, so many bytes, what is wrong in the kubelet's words", async () => {
  const api = new FakeAgent();
  const { url, folder } = await start(api);
  const file = path.join(folder, "0.log");
  const line = (text: string) => `2026-11-22T08:00:00.000000000Z stdout F ${text}\n`;
  writeFileSync(file, ["one", "two", "three"].map(line).join(""));
  const running = { name: "main", ready: true, restartCount: 0, image: "", imageID: "", state: { running: {} } };
  api.setPods([{ ...aPod("web"), status: { containerStatuses: [running] } }]);
  api.logFile = { path: file, format: "cri", ended: () => true };
  const logs = `${url}/containerLogs/default/web/main`;
  expect((await get(`${logs}?tailLines=2`)).body).toBe("two\nthree\n");
  expect((await get(`${logs}?limitBytes=5`)).body).toBe("one\nt");
  expect((await get(`${logs}?timestamps=true&tailLines=1&follow=true`)).body).toBe(
    "2026-11-22T08:00:00.000000000Z three\n",
  );
  for (const follow of ["", "&follow=true"]) {
    const answer = https.get(`${logs}?tailLines=1${follow}`, { agent: false, ...asClient() });
    const [{ headers }] = (await once(answer, "response")) as [IncomingMessage];
    expect(headers).toMatchObject({ "x-content-type-options": "nosniff", "cache-control": "no-store" });
    expect(headers["content-type"]).toMatch(/^text\/plain/);
    answer.destroy();
  }
  expect((await get(`${logs}?stream=Stderr`)).body).toBe("");
  expect(await get(`${logs}?previous=true`)).toEqual({
    status: 400,
    body: 'previous terminated container "main" in pod "web" not found',
  });
  api.logFile = { path: path.join(folder, "gone.log"), format: "cri", ended: () => false };
  for (const follow of ["", "?follow=true"])
    expect(await get(`${logs}${follow}`)).toEqual({
      status: 400,
      body: expect.stringMatching(
        /^failed to try resolving symlinks in path ".*gone\.log": lstat .*gone\.log: no such file/,
      ),
    });
  expect(await get(`${url}/containerLogs/default/web/other`)).toEqual({
    status: 404,
    body: 'container "other" not found in pod "web"',
  });
  expect(await get(`${url}/containerLogs/default/none/main`)).toEqual({
    status: 404,
    body: 'pod "none" does not exist',
  });
});

test("an upgrade is passed to the runtime's streaming server unchanged, without credentials; bytes go both ways", async () => {
  const seen: http.IncomingMessage[] = [];
  const runtime = http.createServer();
  runtime.on("upgrade", (request, socket, head) => {
    seen.push(request);
    socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\n\r\n");
    socket.write(head);
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => runtime.listen(0, "127.0.0.1", resolve));
  endings.push(() => new Promise((resolve) => runtime.close(resolve)));
  const api = new FakeAgent();
  api.setPods([aPod("web")]);
  const { port } = runtime.address() as AddressInfo;
  api.streamUrls = async () => `http://127.0.0.1:${port}/exec/token`;
  const { url } = await start(api);
  const { hostname, port: own } = new URL(url);
  const headers = {
    connection: "Upgrade",
    upgrade: "SPDY/3.1",
    "x-stream-protocol-version": "v4.channel.k8s.io",
    authorization: "Bearer secret",
  };
  const answer = await new Promise<string>((resolve, reject) => {
    const options = {
      hostname,
      port: own,
      path: "/exec/default/web/main?command=ls&output=1",
      method: "POST",
      headers,
      agent: false,
      ...asClient(),
    };
    const request = https.request(options);
    request.on("upgrade", (response, socket) => {
      socket.once("data", (data) => {
        socket.destroy();
        resolve(`${response.statusCode} ${data}`);
      });
      socket.write("hello");
    });
    request.on("response", ({ statusCode }) => reject(new Error(String(statusCode))));
    request.on("error", reject);
    request.end();
  });
  expect(answer).toBe("101 hello");
  expect(seen[0]?.url).toBe("/exec/token");
  expect(seen[0]?.headers).toMatchObject({
    host: `127.0.0.1:${port}`,
    upgrade: "SPDY/3.1",
    "x-stream-protocol-version": "v4.channel.k8s.io",
  });
  expect(seen[0]?.headers.authorization).toBeUndefined();
  expect(api.calls).toContainEqual([
    "streamUrl",
    expect.objectContaining({ namespace: "default", name: "web" }),
    { kind: "exec", container: "main", command: ["ls"], tty: false, stdin: false, stdout: true, stderr: false },
  ]);
});

test.each([
  { name: "without credentials", path: "/exec/default/web/main?command=ls&output=1", options: {}, status: 401 },
  {
    name: "of a pod that is not there",
    path: "/exec/default/none/main?command=ls&output=1",
    options: undefined,
    status: 404,
  },
  {
    name: "of an earlier pod of the name",
    path: "/exec/default/web/old/main?command=ls&output=1",
    options: undefined,
    status: 404,
  },
  { name: "without a stream", path: "/exec/default/web/main?command=ls", options: undefined, status: 400 },
  { name: "to no such path", path: "/pods", options: undefined, status: 404 },
])("an upgrade $name is refused", async ({ path: asked, options, status }) => {
  const api = new FakeAgent();
  api.setPods([aPod("web")]);
  const { url } = await start(api);
  const answer = await get(`${url}${asked}`, {
    ...(options ?? asClient()),
    headers: { connection: "Upgrade", upgrade: "SPDY/3.1" },
  });
  expect(answer.status).toBe(status);
});

test("where the runtime has no streaming server, the agent speaks the channel protocol itself", async () => {
  const api = new FakeAgent();
  api.setPods([aPod("web")]);
  const { url } = await start(api);
  const socket = new WebSocket(
    `${url.replace("https", "wss")}/exec/default/web/main?command=ls&output=1`,
    ["v5.channel.k8s.io"],
    asClient(),
  );
  const messages: string[] = [];
  socket.on("message", (data: Buffer) => messages.push(`${data[0]} ${data.subarray(1)}`));
  await new Promise((resolve, reject) => {
    socket.on("close", resolve);
    socket.on("error", reject);
  });
  expect(messages.at(-1)).toMatch(/^3 \{"kind":"Status"/);
});

test("a certificate that is not given is made once and kept", async () => {
  const { folder } = await start(new FakeAgent());
  expect(readFileSync(path.join(folder, "pki/kubelet.crt"), "utf8")).toMatch(/^-----BEGIN CERTIFICATE-----/);
  expect(statSync(path.join(folder, "pki/kubelet.key")).mode & 0o777).toBe(0o600);
});

test("the running pods are those in the phase Running, for the API server alone", async () => {
  const api = new FakeAgent();
  api.list = [aPod("runs"), aPod("waits", { status: { phase: "Pending" } })];
  const { url } = await start(api);
  for (const path of ["/runningpods", "/runningpods/"]) {
    const { items } = JSON.parse((await get(`${url}${path}`)).body) as {
      items: readonly { metadata: { name: string } }[];
    };
    expect(items.map(({ metadata }) => metadata.name)).toEqual(["runs"]);
  }
});
