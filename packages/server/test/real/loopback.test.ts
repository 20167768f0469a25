import { stat } from "node:fs/promises";
import { request } from "node:http";
import { AgentClient } from "@hooklet/cli/client";
import { expect, test } from "@jest/globals";
import { WebSocket } from "ws";
import { anEvent, aPod } from "../samples.js";
import { startFake } from "../start.js";

/** A GET with any Host header: fetch does not allow one. */
function get(url: string, host: string, method = "GET"): Promise<{ status: number; body: string; headers: object }> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, headers: { host } }, (response) => {
      let body = "";
      response.on("data", (chunk) => {
        body += chunk;
      });
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body, headers: response.headers }));
    });
    asked.on("error", reject);
    asked.end();
  });
}

test.each([
  { host: "localhost:10248", status: 200 },
  { host: "127.0.0.1", status: 200 },
  { host: "[::1]:80", status: 200 },
  { host: "evil.example", status: 403 },
  { host: "localhost.evil.example", status: 403 },
  { host: "127.0.0.1.evil.example:10248", status: 403 },
])("a request for host $host is answered with $status", async ({ host, status }) => {
  const { url } = await startFake();
  const answer = await get(`${url}/healthz`, host);
  expect(answer.status).toBe(status);
  expect(Object.keys(answer.headers)).not.toContain("access-control-allow-origin");
  if (status === 403)
    expect(JSON.parse(answer.body)).toEqual({ error: expect.stringContaining(host), code: "FORBIDDEN" });
});

test("healthz is ok and nothing else while all is well", async () => {
  const { url } = await startFake();
  expect(await (await fetch(`${url}/healthz`)).text()).toBe("ok");
  expect(await (await fetch(`${url}/healthz?verbose`)).text()).toBe("[+]runtime ok\nhealthz check passed\n");
});

test("healthz is 500 and names the part that fails", async () => {
  const { api, url } = await startFake();
  api.healthReport = {
    ok: false,
    parts: [
      { name: "runtime", ok: true },
      { name: "sample", ok: false, message: "lost its socket" },
    ],
  };
  const answer = await fetch(`${url}/healthz`);
  expect(answer.status).toBe(500);
  expect(await answer.text()).toBe("[+]runtime ok\n[-]sample failed: lost its socket\nhealthz check failed\n");
  expect((await fetch(`${url}/healthz/runtime`)).status).toBe(200);
  expect((await fetch(`${url}/healthz/sample`)).status).toBe(500);
  expect((await fetch(`${url}/healthz/nobody`)).status).toBe(404);
  expect((await fetch(`${url}/readyz`)).status).toBe(500);
});

test("a health check that throws is a failing part, not a crash", async () => {
  const { api, url } = await startFake();
  api.health = () => Promise.reject(new Error("boom"));
  const answer = await fetch(`${url}/healthz`);
  expect([answer.status, await answer.text()]).toEqual([500, "[-]agent failed: boom\nhealthz check failed\n"]);
});

test("pods are a v1 PodList", async () => {
  const { api, readUrl: url } = await startFake();
  api.setPods([aPod("web")]);
  const list = await (await fetch(`${url}/pods`)).json();
  expect(list).toMatchObject({
    kind: "PodList",
    apiVersion: "v1",
    metadata: {},
    items: [{ metadata: { name: "web" } }],
  });
});

test("every path that the agent has metrics for is shown, no other", async () => {
  const { url } = await startFake();
  const further = await fetch(`${url}/metrics/further`);
  expect(await further.text()).toBe("# /metrics/further\n");
  expect(further.headers.get("content-type")).toContain("version=0.0.4");
  expect((await fetch(`${url}/metrics`)).status).toBe(200);
  expect((await fetch(`${url}/metrics/unknown`)).status).toBe(404);
});

test("events and explain exist on the read-only port", async () => {
  const { api, readUrl: url } = await startFake();
  api.emit(anEvent("web", "Started"));
  api.decisions = [
    { at: 0, plugin: "sample", strategy: "s", subject: "pod/default/web", considered: [], outcome: "kept" },
  ];
  api.said = [{ at: 1, plugin: "sample", strategy: "s", subject: "pod/default/web", considered: [], outcome: "stays" }];
  expect(await (await fetch(`${url}/events`)).json()).toMatchObject({
    kind: "EventList",
    items: [{ reason: "Started" }],
  });
  expect(await (await fetch(`${url}/explain?kind=pod&name=web`)).json()).toMatchObject({
    items: [{ outcome: "kept" }, { outcome: "stays" }],
  });
  const without = await fetch(`${url}/explain`);
  expect([without.status, await without.json()]).toEqual([
    400,
    { error: expect.stringContaining("kind"), code: "INVALID" },
  ]);
});

test.each([
  { method: "POST", path: "/apply" },
  { method: "DELETE", path: "/pods/default/web" },
  { method: "GET", path: "/exec/default/web/main?output=1&command=sh" },
  { method: "GET", path: "/portForward/default/web?port=80" },
  { method: "GET", path: "/containerLogs/default/web/main" },
  { method: "POST", path: "/plan" },
  { method: "POST", path: "/plugins/switch" },
  { method: "POST", path: "/images/import" },
  { method: "DELETE", path: "/images?name=a" },
])("$method $path does not exist on either port", async ({ method, path }) => {
  const { api, url, readUrl } = await startFake();
  api.setPods([aPod("web")]);
  for (const port of [url, readUrl]) {
    const answer = await fetch(`${port}${path}`, { method });
    expect(answer.status).toBe(404);
    expect(await answer.json()).toMatchObject({ code: "NO_ROUTE" });
  }
  expect(api.calls).toEqual([]);
});

test.each([
  "/pods",
  "/pods/default/web",
  "/configz",
  "/events",
  "/explain?kind=pod&name=web",
  "/stats/summary",
  "/node",
])("%s is not on the port for health and metrics, which every user and container reaches", async (path) => {
  const { api, url } = await startFake();
  api.setPods([aPod("web")]);
  const answer = await fetch(`${url}${path}`);
  expect([answer.status, await answer.json()]).toEqual([
    404,
    { error: expect.stringContaining("ask the control socket"), code: "NO_ROUTE" },
  ]);
});

test("the read-only port shows pods without the values that may be secrets", async () => {
  const { api, readUrl } = await startFake();
  api.setPods([secretPod()]);
  const text = await (await fetch(`${readUrl}/pods`)).text();
  expect(text).not.toContain("s3cret");
  expect(JSON.parse(text).items[0].spec.containers[0]).toMatchObject({
    image: "web:1",
    env: [{ name: "TOKEN", value: "<masked>" }],
    command: ["<masked>", "<masked>"],
  });
  const watched = await fetch(`${readUrl}/pods?watch`);
  const reader = watched.body?.getReader();
  let seen = "";
  while (!seen.includes("TOKEN")) seen += Buffer.from((await reader?.read())?.value ?? []).toString();
  await reader?.cancel();
  expect(seen).not.toContain("s3cret");
});

test("the read-only socket reads as the read-only port does, and changes nothing", async () => {
  const { api, readOnlySocket } = await startFake();
  api.setPods([secretPod()]);
  const reader = new AgentClient(readOnlySocket);
  expect(JSON.stringify(await reader.pods())).not.toContain("s3cret");
  expect(JSON.stringify(await reader.pod({ namespace: "default", name: "web" }))).not.toContain("s3cret");
  await expect(reader.apply("a: b", "x")).rejects.toThrow(/There is no POST \/apply here/);
  await expect(reader.configz()).rejects.toThrow(/There is no GET \/configz here/);
  await reader.close();
  expect((await stat(readOnlySocket)).mode & 0o777).toBe(0o660);
  expect(api.calls).toEqual([]);
});

function secretPod(): ReturnType<typeof aPod> {
  const pod = aPod("web");
  const [main] = pod.spec.containers;
  const container = { ...main, image: "web:1", env: [{ name: "TOKEN", value: "s3cret" }], command: ["sh", "s3cret"] };
  return {
    ...pod,
    metadata: { ...pod.metadata, annotations: { "kubectl.kubernetes.io/last-applied-configuration": "s3cret" } },
    spec: { ...pod.spec, containers: [container] },
  } as ReturnType<typeof aPod>;
}

test("the summary of statistics is the provider's, and without one 503 with the next step", async () => {
  const { readUrl: url, api } = await startFake();
  const none = await fetch(`${url}/stats/summary`);
  expect(none.status).toBe(503);
  expect(await none.json()).toEqual({ error: expect.stringContaining("switch on one"), code: "NO_STATISTICS" });
  api.summary = { node: { nodeName: "node1", startTime: "2026-01-01T00:00:00Z" }, pods: [] };
  expect(await (await fetch(`${url}/stats/summary`)).json()).toEqual(api.summary);
  expect((await fetch(`${url}/stats/summary?only_cpu_and_memory=maybe`)).status).toBe(400);
});

test.each(["/exec/default/web/main?output=1&command=sh", "/portForward/default/web?port=80"])(
  "%s is no websocket on the loopback port either",
  async (path) => {
    const { api, url } = await startFake();
    api.setPods([aPod("web")]);
    const socket = new WebSocket(`${url.replace("http", "ws")}${path}`, "v5.channel.k8s.io");
    const error = await new Promise<Error>((resolve) => socket.once("error", resolve));
    expect(error.message).toBe("Unexpected server response: 404");
    expect(api.calls).toEqual([]);
  },
);
