/** gRPC probes from a subprocess that is ended in their midst. */
import { readdirSync, readFileSync } from "node:fs";
import type { Socket } from "node:net";
import { systemClock } from "@hooklet/utils";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { GrpcSubprocess } from "../../../src/handlers/grpc-subprocess.js";
import { closeServers, serve } from "../../real/servers.js";

let subprocess: GrpcSubprocess;
const warnings: unknown[] = [];

beforeEach(() => {
  warnings.length = 0;
  const log = { warn: (fields: unknown) => void warnings.push(fields) };
  subprocess = new GrpcSubprocess({ clock: systemClock, log: log as never });
});
afterEach(async () => {
  subprocess.close();
  await closeServers();
});

const probe = (port: number, timeoutMilliseconds = 20_000) =>
  subprocess.probe(systemClock, { host: "127.0.0.1", port, service: "", timeoutMilliseconds, tls: false });

/** Process ids of the helpers that this process has now. */
function helpers(): readonly number[] {
  const children = readdirSync("/proc/self/task").flatMap((task) =>
    readFileSync(`/proc/self/task/${task}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
  return children.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("grpc-subprocess-main.js"));
}

/** A server that is silent to its first connection, and does `then` with all others. */
async function silentOnce(then: (socket: Socket) => void) {
  let connected: () => void = () => undefined;
  const first = new Promise<void>((resolve) => {
    connected = resolve;
  });
  let connections = 0;
  const port = await serve((socket) => {
    if (connections++ === 0) connected();
    else then(socket);
  });
  return { port, first };
}

test("the probes under way when the subprocess ended are retried once, each in its own subprocess", async () => {
  let seen: readonly number[] = [];
  let release: () => void = () => undefined;
  const both = new Promise<void>((resolve) => {
    release = resolve;
  });
  let again = 0;
  const answer = (socket: Socket): void => {
    again += 1;
    if (again === 2) {
      seen = helpers();
      release();
    }
    void both.then(() => socket.destroy());
  };
  const servers = [await silentOnce(answer), await silentOnce(answer)];
  const attempts = servers.map(({ port }) => probe(port, 10_000));
  await Promise.all(servers.map(({ first }) => first));
  const [shared, ...others] = helpers();
  expect(others).toEqual([]);
  process.kill(Number(shared), "SIGABRT");
  // The server closes the connection: that is an answer, which a subprocess that ends never gives.
  for (const attempt of await Promise.all(attempts)) {
    expect(attempt).toMatchObject({ result: "failure" });
    expect(attempt.error).toBeUndefined();
  }
  expect(seen.filter((pid) => pid !== shared)).toHaveLength(2);
  expect(warnings).toEqual([{ how: "SIGABRT" }]);
});

test("a server that ends each process which probes it comes to no verdict, and the next probe is made as ever", async () => {
  const deadly = await serve(() => {
    for (const pid of helpers()) process.kill(pid, "SIGABRT");
  });
  await expect(probe(deadly)).resolves.toEqual({
    result: "unknown",
    output: "",
    error: expect.stringContaining("ended (SIGABRT) before it answered"),
  });
  expect(warnings).toEqual([{ how: "SIGABRT" }, { how: "SIGABRT" }]);
  const other = await serve((socket) => socket.destroy());
  await expect(probe(other, 3000)).resolves.toMatchObject({ result: "failure" });
  expect(helpers()).toHaveLength(1);
});

test("once it is closed no process is left, and none is started for what was under way", async () => {
  const { port, first } = await silentOnce(() => undefined);
  const attempt = probe(port);
  await first;
  subprocess.close();
  await expect(attempt).resolves.toMatchObject({ result: "unknown" });
  for (let tries = 0; tries < 500 && helpers().length > 0; tries++)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(helpers()).toEqual([]);
});
