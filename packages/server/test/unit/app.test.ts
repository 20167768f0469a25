/** What is the same for all routes of an endpoint, and the routes for health and metrics. */
import { NodeAgentError } from "@hooklet/utils";
import { expect, test } from "@jest/globals";
import { control, healthOnly, healthPort, nodeServer, readOnlyPort, readOnlySocket } from "../../src/endpoints.js";
import { appOf } from "../inject.js";
import { aPod } from "../samples.js";

test.each<[host: string, status: number]>([
  ["localhost", 200],
  ["LOCALHOST:8080", 200],
  ["127.0.0.1", 200],
  ["127.0.0.1:65535", 200],
  ["[::1]:80", 200],
  ["localhost:", 403],
  ["localhost:123456", 403],
  ["localhost.example.com", 403],
  ["evil-localhost", 403],
  ["127.0.0.10", 403],
  ["127x0.0.1", 403],
  ["example.com:80", 403],
])("a port of the loopback answers for the host %s with %d", async (host, status) => {
  const { app } = appOf(healthPort);
  const answer = await app.inject({ url: "/healthz", headers: { host } });
  expect(answer.statusCode).toBe(status);
  if (status === 403)
    expect(answer.json()).toEqual({
      error: `The Host header must be localhost, 127.0.0.1 or [::1]; found ${JSON.stringify(host)}.`,
      code: "FORBIDDEN",
    });
});

test.each([
  ["control", control],
  ["healthzPort", healthOnly],
  ["server", nodeServer],
])("%s answers for any host", async (_, endpoint) => {
  const { app } = appOf(endpoint);
  expect((await app.inject({ url: "/healthz", headers: { host: "example.com" } })).statusCode).toBe(200);
});

test("no answer may be guessed at or kept, nor that to a path that is not encoded", async () => {
  const { app } = appOf(control);
  for (const url of ["/healthz", "/pods", "/nothing", "/pods/%zz/x"]) {
    const { headers } = await app.inject({ url });
    expect([url, headers["x-content-type-options"], headers["cache-control"]]).toEqual([url, "nosniff", "no-store"]);
  }
});

test("an error is JSON with a code for a person, text for an API server", async () => {
  for (const [endpoint, type, body] of [
    [control, "application/json; charset=utf-8", { error: "no provider", code: "NOT_FOUND" }],
    [nodeServer, "text/plain; charset=utf-8", "no provider"],
  ] as const) {
    const { app, api, logged } = appOf(endpoint);
    api.statistics = () => Promise.reject(new NodeAgentError("NOT_FOUND", "no provider"));
    const answer = await app.inject({ url: "/stats/summary" });
    expect([answer.statusCode, answer.headers["content-type"]]).toEqual([404, type]);
    expect(typeof body === "string" ? answer.body : answer.json()).toEqual(body);
    expect(logged).toEqual([]);
  }
});

test("an error that is none of the agent's own is logged, with the request", async () => {
  const { api, ask, logged } = appOf(control);
  api.statistics = () => Promise.reject(new Error("broken"));
  expect(await ask("GET", "/stats/summary?only_cpu_and_memory")).toEqual([500, { error: "broken", code: "INTERNAL" }]);
  expect(logged).toMatchObject([
    { msg: "A request failed", method: "GET", url: "/stats/summary?only_cpu_and_memory", err: { message: "broken" } },
  ]);
});

test.each([
  ["/nothing?x=1", control, "There is no GET /nothing here. This agent is hooklet 1.2.3; "],
  ["/nothing", readOnlyPort, "There is no GET /nothing here (read-only port): ask the control socket."],
  ["/metrics", healthOnly, "There is no GET /metrics here (port for health): ask the control socket."],
  ["/healthz/nothing", healthPort, "There is no GET /healthz/nothing here (port for health and metrics): "],
  ["/configz", readOnlyPort, "There is no GET /configz here (read-only port): ask the control socket."],
])("%s is none of its routes: the answer says so, and the next step", async (url, endpoint, error) => {
  const { ask } = appOf(endpoint);
  expect(await ask("GET", url)).toEqual([404, { error: expect.stringContaining(error), code: "NO_ROUTE" }]);
});

test("metrics are those of each path that the agent names, by GET, whatever the query", async () => {
  const { app, ask } = appOf(healthPort);
  const answer = await app.inject({ url: "/metrics?x=/other", headers: { host: "localhost" } });
  expect([answer.statusCode, answer.headers["content-type"], answer.body]).toEqual([
    200,
    "text/plain; version=0.0.4",
    "# /metrics\n",
  ]);
  expect(await ask("GET", "/metrics/further")).toEqual([200, "# /metrics/further\n"]);
  expect((await ask("GET", "/metrics/none"))[0]).toBe(404);
  expect((await ask("POST", "/metrics"))[0]).toBe(404);
});

test("requests for the same metrics at once share one collection; the next one is new", async () => {
  const { api, ask } = appOf(healthPort);
  const asked: string[] = [];
  let give = (): void => undefined;
  api.metrics = (path) => {
    asked.push(path);
    return new Promise((resolve) => {
      give = () => resolve({ contentType: "text/plain", body: path });
    });
  };
  const both = [ask("GET", "/metrics"), ask("GET", "/metrics")];
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(asked).toEqual(["/metrics"]);
  give();
  expect(await Promise.all(both)).toEqual([
    [200, "/metrics"],
    [200, "/metrics"],
  ]);
  const next = ask("GET", "/metrics");
  while (asked.length < 2) await new Promise((resolve) => setImmediate(resolve));
  give();
  await next;
});

test("a part of the health has a path of its own", async () => {
  const { api, ask } = appOf(healthPort);
  const [good, bad] = [
    { name: "runtime", ok: true },
    { name: "plugin probe", ok: false, message: "no disk" },
  ];
  api.healthReport = { ok: false, parts: [good, bad] };
  expect(await ask("GET", "/healthz/runtime")).toEqual([200, "ok"]);
  expect(await ask("GET", "/healthz/runtime?verbose")).toEqual([200, "[+]runtime ok\nhealthz/runtime check passed\n"]);
  expect(await ask("GET", "/healthz/plugin%20probe")).toEqual([
    500,
    "[-]plugin probe failed: no disk\nhealthz/plugin probe check failed\n",
  ]);
  expect((await ask("GET", "/readyz"))[0]).toBe(500);
});

test.each(["health", "ready"] as const)("%s without an answer within 10 s has failed", async (what) => {
  const { api, ask, clock } = appOf(healthPort);
  api[what] = () => new Promise(() => undefined);
  const path = what === "health" ? "healthz" : "readyz";
  const answer = ask("GET", `/${path}`);
  await clock.advanceUntil(() => clock.pending === 1);
  while (clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(10_000);
  expect(await answer).toEqual([500, `[-]agent failed: no answer within 10 s\n${path} check failed\n`]);
});

const asked = (path: string, serverType: string, longRunning = false) => ({
  method: "GET",
  path,
  serverType,
  longRunning,
});

test.each([
  ["/healthz", control, asked("healthz", "readwrite")],
  ["/healthz/runtime?verbose", readOnlyPort, asked("healthz", "readonly")],
  ["/metrics/further?x=1", nodeServer, asked("metrics", "readwrite")],
  ["/metrics/none", nodeServer, asked("others", "readwrite")],
  ["/anything", control, asked("others", "readwrite")],
  ["/pods/default/web", control, asked("pods", "readwrite")],
  ["/containerLogs/a/b/c", nodeServer, asked("containerLogs", "readwrite", true)],
  ["/pods?watch=x", control, asked("pods", "readwrite", true)],
  ["/pods?follow", control, asked("pods", "readwrite", true)],
])("%s is counted by its route, and is over with its answer", async (url, endpoint, expected) => {
  const { api, ask } = appOf(endpoint);
  await ask("GET", url);
  await new Promise((resolve) => setImmediate(resolve));
  expect([api.requests, api.underWay]).toEqual([[expected], 0]);
});

test.each([
  ["exec", "POST"],
  ["attach", "GET"],
  ["portForward", "DELETE"],
] as const)("/%s by %s without an upgrade is refused, with the next step", async (kind, method) => {
  const { ask } = appOf(control);
  expect(await ask(method, `/${kind}/a/b/c`)).toEqual([
    400,
    {
      error: "This is a stream: send the request as an upgrade to SPDY/3.1 or to a websocket.",
      code: "INVALID",
    },
  ]);
});

test.each([
  ["the control socket", control, 10 * 1024 * 1024],
  ["other endpoints", nodeServer, 16 * 1024],
])("a body to %s has at most %s bytes", async (_, endpoint, most) => {
  const { ask } = appOf(endpoint);
  const body = Buffer.alloc(most, "x").toString();
  expect((await ask("POST", "/exec/a/b/c", body, "text/plain"))[0]).not.toBe(413);
  expect((await ask("POST", "/exec/a/b/c", `${body}x`, "text/plain"))[0]).toBe(413);
});

test.each([
  [control, ["/exec", "/containerLogs", "/pods", "/node", "/reload", "/configz", "/metrics"]],
  [nodeServer, ["/exec", "/containerLogs", "/pods", "/runningpods", "/configz", "/metrics"]],
  [readOnlySocket, ["/pods", "/node", "/metrics"]],
  [readOnlyPort, ["/pods", "/metrics"]],
  [healthPort, ["/metrics"]],
  [healthOnly, []],
])("$name has of what is not for everybody its own share", async (endpoint, expected) => {
  const { api, ask } = appOf(endpoint);
  api.setPods([aPod("web")]);
  const all = [
    ["/exec", "POST", "/exec/default/web/main"],
    ["/containerLogs", "GET", "/containerLogs/default/web/main?tailLines=x"],
    ["/pods", "GET", "/pods"],
    ["/runningpods", "GET", "/runningpods"],
    ["/node", "GET", "/node"],
    ["/reload", "POST", "/reload"],
    ["/configz", "GET", "/configz"],
    ["/metrics", "GET", "/metrics"],
  ] as const;
  const there: string[] = [];
  for (const [name, method, url] of all) if ((await ask(method, url))[0] !== 404) there.push(name);
  expect(there).toEqual(expected);
});

test.each([readOnlySocket, readOnlyPort, healthPort, healthOnly])(
  "$name points to the control socket for what it has not",
  async (endpoint) => {
    const { ask } = appOf(endpoint);
    const [, answer] = await ask("GET", "/nothing");
    expect(answer).toMatchObject({
      error: `There is no GET /nothing here (${endpoint.name}): ask the control socket.`,
    });
  },
);
