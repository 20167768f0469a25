import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { PodSource } from "@hooklet/core/host";
import { type Clock, systemClock } from "@hooklet/utils";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { pause, RecordingSink, until } from "../../../core/test/sources/harness.js";
import { aPod, yamlPod } from "../../../manifest/test/pods.js";
import { manifestUrl } from "../../src/manifest-url.js";

let server: Server;
let url: string;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let asked: IncomingMessage[];
let sink: RecordingSink;
let source: PodSource | undefined;

const text =
  (body: string): typeof answer =>
  (_, response) =>
    void response.end(body);

beforeEach(async () => {
  asked = [];
  sink = new RecordingSink();
  server = createServer((request, response) => {
    asked.push(request);
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/pods`;
});
afterEach(async () => {
  await source?.stop();
  source = undefined;
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function start(more: { headers?: Record<string, string[]>; clock?: Clock } = {}): Promise<void> {
  source = manifestUrl({ url, headers: {}, nodeName: "n", httpCheckFrequency: 0.02, clock: systemClock, ...more });
  await source.start(sink);
}

test.each([
  ["a pod in YAML", yamlPod("a"), ["a-n"]],
  ["a pod in JSON", JSON.stringify(aPod({}, { name: "a" })), ["a-n"]],
  [
    "a PodList",
    JSON.stringify({ apiVersion: "v1", kind: "PodList", items: [aPod({}, { name: "b" }), aPod()] }),
    ["b-n", "web-n"],
  ],
  ["an empty PodList", '{"apiVersion": "v1", "kind": "PodList", "items": []}', []],
])("%s is taken as pods of source http", async (_name, body, names) => {
  answer = text(body);
  await start();
  expect(sink.names).toEqual(names);
  for (const { metadata } of sink.pods) expect(metadata.annotations?.["kubernetes.io/config.source"]).toBe("http");
});

test("the same answer again is no news; another one is", async () => {
  answer = text(yamlPod("a"));
  await start();
  await until(() => asked.length > 3);
  expect(sink.sets).toHaveLength(1);
  answer = text(`# the same pod\n${yamlPod("a")}`);
  const before = asked.length;
  await until(() => asked.length > before + 2);
  expect(sink.sets).toHaveLength(1);
  answer = text(yamlPod("b"));
  await until(() => sink.sets.length === 2);
  expect(sink.names).toEqual(["b-n"]);
});

test.each<[string, typeof answer, RegExp]>([
  [
    "a status of 500",
    (_, response) => void response.writeHead(500).end("no"),
    /answered with status 500; expected 200/,
  ],
  ["an empty answer", text(""), /zero-length data received/],
  ["a broken connection", (request) => request.socket.destroy(), /other side closed|socket|ECONNRESET/],
  [
    "redirects without end",
    (request, response) => void response.writeHead(302, { location: `${request.url}x` }).end(),
    /status 302/,
  ],
  ["a text that is no manifest", text("hello"), /found a string/],
  ["an invalid pod", text(yamlPod("A")), /metadata.name: Invalid value/],
  ["an answer of more than 10 MiB", text("#".repeat(10 * 1024 * 1024 + 1)), /too long; expected at most 10485760/],
])("after %s the pods stay; the fault is reported once and withdrawn when fixed", async (_name, bad, message) => {
  answer = text(yamlPod("a"));
  await start();
  answer = bad;
  await until(() => sink.open.size === 1);
  const before = asked.length;
  await until(() => asked.length > before + 2);
  expect(sink.log).toHaveLength(1);
  expect(sink.log[0]).toMatch(message);
  expect(sink.sets).toHaveLength(1);
  answer = text(yamlPod("b"));
  await until(() => sink.open.size === 0);
  expect(sink.names).toEqual(["b-n"]);
});

test("a server that is not reachable yet is a fault, and no empty set", async () => {
  answer = (request) => request.socket.destroy();
  await start();
  expect(sink.sets).toEqual([]);
  expect(sink.open.size).toBe(1);
});

test("headers are sent; a redirect is followed", async () => {
  answer = (request, response) =>
    request.url === "/pods"
      ? void response.writeHead(307, { location: "/there" }).end()
      : void response.end(yamlPod("a"));
  await start({ headers: { "X-Team": ["one", "two"] } });
  expect(sink.names).toEqual(["a-n"]);
  expect(asked[0]?.headers["x-team"]).toBe("one, two");
  expect(asked[1]?.url).toBe("/there");
});

test("a configured header does not go to another origin after a redirect", async () => {
  const seen: IncomingMessage[] = [];
  const other = createServer((request, response) => {
    seen.push(request);
    response.end(yamlPod("b"));
  });
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/there`;
  answer = (_, response) => void response.writeHead(302, { location }).end();
  await start({ headers: { "X-Token": ["s3cret"] } });
  expect(sink.names).toEqual(["b-n"]);
  expect(asked[0]?.headers["x-token"]).toBe("s3cret");
  expect(seen[0]?.headers).not.toHaveProperty("x-token");
  other.closeAllConnections();
  await new Promise((resolve) => other.close(resolve));
});

test("a password in the URL is sent and never printed", async () => {
  url = url.replace("//", "//me:s3cret@");
  answer = (_, response) => void response.writeHead(403).end();
  await start();
  expect(asked[0]?.headers.authorization).toBe(`Basic ${Buffer.from("me:s3cret").toString("base64")}`);
  expect(sink.log.join()).toContain("status 403");
  expect(`${sink.log.join()}${[...sink.open].join()}`).not.toContain("s3cret");
});

test("a proxy of the environment is not used", async () => {
  process.env.HTTP_PROXY = "http://127.0.0.1:1";
  try {
    answer = text(yamlPod("a"));
    await start();
    expect(sink.names).toEqual(["a-n"]);
  } finally {
    delete process.env.HTTP_PROXY;
  }
});

test("a server that never answers is given up after ten seconds by the clock", async () => {
  const timers: { milliseconds: number; run: () => void }[] = [];
  const clock: Clock = {
    ...systemClock,
    schedule(milliseconds, run) {
      timers.push({ milliseconds, run });
      return { cancel: () => {} };
    },
  };
  answer = () => {};
  const started = start({ clock });
  await until(() => asked.length === 1);
  expect(timers[0]?.milliseconds).toBe(10_000);
  timers[0]?.run();
  await started;
  expect(sink.log[0]).toMatch(/no answer from http.* within 10 s/);
  expect(timers[1]?.milliseconds).toBe(20);
});

test("stopping does not wait for a slow answer and leaves no request behind", async () => {
  answer = () => {};
  const started = start();
  await until(() => asked.length === 1);
  await source?.stop();
  await started;
  await pause(60);
  expect(asked).toHaveLength(1);
  expect(sink.log).toEqual([]);
});
