/** A container's log over HTTP: what may be asked of it, and its answer as bytes and as frames. */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { control, nodeServer } from "../../src/endpoints.js";
import { appOf, type Injected } from "../inject.js";
import { aPod, NOW } from "../samples.js";

let file: string;

beforeEach(() => {
  file = path.join(mkdtempSync(path.join(tmpdir(), "hooklet-logs-")), "0.log");
});

afterEach(() => rmSync(path.dirname(file), { recursive: true }));

/** Three lines, 10 s, 5 s and 0 s old; the second one is an error. */
function write(): void {
  const line = (seconds: number, stream: string, text: string): string =>
    `${new Date(NOW - seconds * 1000).toISOString().replace("Z", "000000Z")} ${stream} F ${text}\n`;
  writeFileSync(file, [line(10, "stdout", "one"), line(5, "stderr", "two"), line(0, "stdout", "three")].join(""));
}

function ready(endpoint = control): Injected {
  const injected = appOf(endpoint);
  injected.api.list = [aPod("web")];
  injected.api.logFile = { path: file, format: "cri", ended: () => true };
  return injected;
}

const logs = "/containerLogs/default/web/main";

test.each([
  ["", "one\ntwo\nthree\n"],
  ["?tailLines=2", "two\nthree\n"],
  ["?tailLines=0", ""],
  ["?limitBytes=5", "one\nt"],
  ["?sinceSeconds=5", "two\nthree\n"],
  ["?sinceSeconds=4", "three\n"],
  [`?sinceTime=${new Date(NOW - 5_000).toISOString()}`, "two\nthree\n"],
  ["?sinceTime=2026-11-21T11:00:00%2B01:00&sinceSeconds=60", "three\n"],
  ["?stream=All", "one\ntwo\nthree\n"],
  ["?stream=Stdout", "one\nthree\n"],
  ["?stream=Stderr", "two\n"],
  ["?timestamps&tailLines=1", "2026-11-21T10:00:00.000000000Z three\n"],
  ["?follow=true", "one\ntwo\nthree\n"],
])("the log with %s is the bytes %j", async (query, text) => {
  const { app, ask } = ready();
  write();
  expect(await ask("GET", `${logs}${query}`)).toEqual([200, text]);
  expect((await app.inject({ url: logs })).headers["content-type"]).toBe("text/plain");
});

test.each([
  ["?follow=yes", /^query\.follow: /],
  ["?tailLines=-1", /^query\.tailLines: expected a whole number$/],
  ["?tailLines=9007199254740992", /^query\.tailLines: expected at most 9007199254740991$/],
  ["?limitBytes=1.5", /^query\.limitBytes: expected a whole number$/],
  ["?sinceSeconds=1099511627777", /^query\.sinceSeconds: expected at most 1099511627776$/],
  ["?sinceTime=yesterday", /^query\.sinceTime: /],
  ["?stream=stdout", /^query\.stream: /],
  ["?from=1", /^query\.from: /],
  ["?from=a:1", /^query\.from: /],
  ["?from=1:2:3", /^query\.from: /],
  ["?from=x1:2", /^query\.from: /],
  ["?from=123456789012345678901:2", /^query\.from: /],
  ["?from=1:12345678901234567", /^query\.from: /],
])("%s is refused, and the parameter named", async (query, error) => {
  const { api, ask } = ready();
  expect(await ask("GET", `${logs}${query}`)).toEqual([400, { error: expect.stringMatching(error), code: "INVALID" }]);
  expect(api.calls).toEqual([]);
});

test.each([
  ["", false],
  ["?previous=true", true],
])("with %j the log of the container that was asked for is opened, previous: %s", async (query, previous) => {
  const { api, ask } = ready();
  write();
  await ask("GET", `${logs}${query}`);
  expect(api.calls).toEqual([["log", "main", { previous }]]);
});

async function frames({ app }: Injected, query: string): Promise<[string | undefined, unknown[]]> {
  const { headers, body } = await app.inject({ url: `${logs}${query}`, headers: { accept: "application/x-ndjson" } });
  const lines = body.split("\n").filter((line) => line !== "");
  return [headers["content-type"] as string, lines.map((line) => JSON.parse(line))];
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");

test("as frames its streams are apart; those that were not asked for are left out", async () => {
  const injected = ready();
  write();
  const [type, all] = await frames(injected, "");
  expect(type).toBe("application/x-ndjson");
  expect(JSON.stringify(all)).toContain("stderr");
  const [, some] = await frames(injected, "?stream=Stdout&tailLines=1");
  expect(some).toEqual([{ stdout: base64("three\n") }]);
});

test("followed frames end, once their time is over, with where to go on; from there nothing is lost, and nothing comes twice", async () => {
  const injected = ready({ ...control, streams: { atOnce: 1, idle: 10_000, total: 1_000 } });
  const { api, clock } = injected;
  write();
  api.logFile = { path: file, format: "cri", ended: () => false };
  const first = frames(injected, "?follow=true&tailLines=1");
  while (clock.pending < 3) await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(1_100);
  const from = `${statSync(file).ino}:${statSync(file).size}`;
  expect((await first)[1]).toEqual([{ stdout: base64("three\n") }, { from }]);
  appendFileSync(file, "2026-11-21T10:00:01.000000000Z stdout F four\n");
  expect((await frames(injected, `?from=${from}&tailLines=3`))[1]).toEqual([{ stdout: base64("four\n") }]);
});

test("a log that cannot be read is logged; frames end with the reason, bytes end", async () => {
  const injected = ready();
  mkdirSync(file);
  const code = "INVALID";
  expect((await frames(injected, ""))[1]).toEqual([{ error: expect.stringContaining(file), code }]);
  expect(await injected.ask("GET", logs)).toEqual([200, ""]);
  expect(injected.logged.map(({ msg }) => msg)).toEqual(
    Array(2).fill(expect.stringContaining(`Reading ${file} failed: `)),
  );
});

test("times of a log that has none are refused", async () => {
  const { api, ask } = ready();
  write();
  api.logFile = { path: file, format: "raw", ended: () => true };
  expect((await ask("GET", `${logs}?timestamps`))[0]).toBe(501);
  expect((await ask("GET", `${logs}?sinceSeconds=1`))[0]).toBe(501);
  expect((await ask("GET", logs))[0]).toBe(200);
});

test("an API server has the kubelet's refusals as text: no such pod, no such container, no log yet", async () => {
  const { api, ask } = ready(nodeServer);
  const waiting = { name: "main", state: { waiting: { reason: "ErrImagePull" } } };
  api.list = [aPod("web"), aPod("new", { status: { containerStatuses: [waiting] } }), aPod("static-node1")];
  write();
  expect(await ask("GET", logs)).toEqual([200, "one\ntwo\nthree\n"]);
  expect(await ask("GET", "/containerLogs/default/none/main")).toEqual([404, 'pod "none" does not exist']);
  expect(await ask("GET", "/containerLogs/default/static/main")).toEqual([404, 'pod "static" does not exist']);
  expect(await ask("GET", "/containerLogs/default/web/other")).toEqual([
    404,
    'container "other" not found in pod "web"',
  ]);
  expect(await ask("GET", "/containerLogs/default/new/main")).toEqual([
    400,
    'container "main" in pod "new" is waiting to start: image can\'t be pulled',
  ]);
});

test.each([
  ["a person", control, 404],
  ["an API server", nodeServer, 400],
])("a log that was removed is %s's error with the reason", async (_, endpoint, status) => {
  const { ask, clock } = ready(endpoint);
  const answer = ask("GET", logs);
  while (clock.pending === 0) await new Promise((resolve) => setImmediate(resolve));
  await clock.advance(1_000);
  const [found, body] = await answer;
  expect([found, JSON.stringify(body)]).toEqual([status, expect.stringContaining("failed to try resolving symlinks")]);
});
