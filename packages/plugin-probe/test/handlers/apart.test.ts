/** Probes over HTTP/2 from a process of their own, that is ended in their midst. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { systemClock } from "@hooklet/core/base";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { NetworkApart } from "../../src/handlers/apart.js";
import { headerMap } from "../../src/index.js";
import { closeServers, serve } from "../servers.js";

let apart: NetworkApart;
const warnings: unknown[] = [];

beforeEach(() => {
  warnings.length = 0;
  const log = { warn: (fields: unknown) => void warnings.push(fields) };
  apart = new NetworkApart({ clock: systemClock, log: log as never });
});
afterEach(async () => {
  apart.close();
  await closeServers();
});

const grpc = (port: number, timeoutMilliseconds = 20_000) =>
  apart.grpc(systemClock, { host: "127.0.0.1", port, service: "", timeoutMilliseconds, tls: false });

/** Process ids of the helpers that this process has now. */
function helpers(): readonly number[] {
  const children = execFileSync("pgrep", ["-P", String(process.pid)], { encoding: "utf8" })
    .trim()
    .split("\n")
    .map(Number);
  return children.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("apart-helper.js"));
}

test("the agent itself opens no connection over HTTP/2, and lives on when the process that does is aborted", async () => {
  let connected: () => void = () => undefined;
  const first = new Promise<void>((resolve) => {
    connected = resolve;
  });
  const silent = await serve(() => connected());
  const under = grpc(silent);
  await first;
  const before = helpers();
  expect(before).toHaveLength(1);
  process.kill(Number(before[0]), "SIGABRT");
  await expect(under).resolves.toMatchObject({ result: "unknown", error: expect.stringContaining("ended (SIGABRT)") });
  expect(warnings).toMatchObject([{ how: "SIGABRT", targets: [`127.0.0.1:${silent}`], count: 1 }]);

  // Who was probed then is probed from another process than all others from now on.
  const suspect = grpc(silent, 3000);
  const other = grpc(await serve((socket) => socket.destroy()), 3000);
  await expect(suspect).resolves.toMatchObject({ result: "failure" });
  await expect(other).resolves.toMatchObject({ result: "failure" });
  expect(helpers()).toHaveLength(2);
});

test("HTTP/2 by prior knowledge goes there as well; HTTP/1 does not", async () => {
  const port = await serve((socket) => socket.end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  const url = { scheme: "http", host: "127.0.0.1", port, path: "/", query: "", fragment: "" };
  const ask = (h2c: boolean) =>
    apart.http(systemClock, { url, headers: headerMap(undefined), timeoutMilliseconds: 20_000, h2c });
  await expect(ask(false)).resolves.toMatchObject({ result: "success" });
  expect(helpers()).toHaveLength(0);
  await expect(ask(true)).resolves.toMatchObject({ result: "failure" });
  expect(helpers()).toHaveLength(1);
});
