/** Servers that one agent hands over to the next, on a real socket and a real port. */
import { once } from "node:events";
import { rm, stat } from "node:fs/promises";
import { Agent, type IncomingMessage, request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { json, text } from "node:stream/consumers";
import { systemClock } from "@hooklet/utils";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { pino } from "pino";
import { type BoundServers, bindServers, type ServerOptions } from "../../src/servers.js";
import { FakeAgent } from "../fake-agent.js";
import { aPod } from "../samples.js";
import { onFreePorts, temporaryFolder } from "../start.js";

const log = pino({ level: "silent" });

let servers: BoundServers;
let options: ServerOptions;
beforeEach(async () => {
  const socket = join(await temporaryFolder(), "hooklet.sock");
  servers = await onFreePorts(({ port }) => {
    options = {
      socket,
      port,
      readOnlySocket: { path: `${socket}.read`, group: process.getgid?.() ?? 0 },
      clock: systemClock,
    };
    return bindServers(options);
  });
  await serve("former");
});
afterEach(() => servers.stop());

/** A new agent with one pod serves. */
async function serve(pod: string): Promise<void> {
  const api = new FakeAgent();
  const env = [{ name: "TOKEN", value: "s3cret" }];
  api.setPods([aPod(pod, { spec: { containers: [{ name: "main", image: "i", env }] } })]);
  (await servers.prepare(api, log))();
}

async function ask(
  path: string,
  { method = "GET", headers = {}, socketPath = options.socket } = {},
): Promise<IncomingMessage> {
  const call = request({ socketPath, path, method, headers, agent: false }).end();
  const [answer] = (await once(call, "response")) as [IncomingMessage];
  return answer;
}

async function listed(): Promise<{ readonly names: readonly string[]; readonly warning: unknown }> {
  const answer = await ask("/pods");
  const { items } = (await json(answer)) as { items: readonly { metadata: { name: string } }[] };
  return { names: items.map(({ metadata }) => metadata.name), warning: answer.headers.warning };
}

test("until the next agent serves, the pods are listed as the former one left them, with a warning; everything else is starting", async () => {
  await servers.handOver();
  expect(await listed()).toEqual({
    names: ["former"],
    warning: '299 - "The agent is starting. These are the pods as the former agent left them."',
  });
  const upgrade = { connection: "upgrade", upgrade: "SPDY/3.1" };
  const others = [
    await ask("/pods?watch=true"),
    await ask("/version"),
    await ask("/healthz"),
    await ask("/apply", { method: "POST" }),
    await ask("/exec/default/former/main?command=ls", { method: "POST", headers: upgrade }),
  ];
  for (const answer of others) {
    expect([answer.statusCode, await json(answer)]).toEqual([503, expect.objectContaining({ code: "AGENT_STARTING" })]);
  }
});

test("who may not see values does not see them meanwhile either", async () => {
  await servers.handOver();
  const [whole, masked] = [
    await text(await ask("/pods")),
    await text(await ask("/pods", { socketPath: `${options.socket}.read` })),
  ];
  expect([whole.includes("s3cret"), masked.includes("s3cret"), masked.includes("former")]).toEqual([true, false, true]);
});

test("a connection without a request goes on with the next agent, one that is being answered ends", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const over = async (): Promise<readonly unknown[]> => {
    const call = request({ socketPath: options.socket, path: "/version", agent }).end();
    const [answer] = (await once(call, "response")) as [IncomingMessage];
    await text(answer);
    return [answer.statusCode, call.reusedSocket];
  };
  expect(await over()).toEqual([200, false]);
  const watch = await ask("/pods?watch=true");
  await servers.handOver();
  await serve("next");
  expect(await over()).toEqual([200, true]);
  await expect(text(watch)).rejects.toThrow("aborted");
  agent.destroy();
});

test("a socket that was removed is made again", async () => {
  await servers.handOver();
  await rm(options.socket);
  servers = await bindServers(options, servers);
  await serve("next");
  expect((await listed()).names).toEqual(["next"]);
});

test("the next agent gets the same sockets and ports, and answers as the first", async () => {
  await servers.handOver();
  expect(await bindServers({ ...options }, servers)).toBe(servers);
  await serve("next");
  expect(await listed()).toEqual({ names: ["next"], warning: undefined });
  expect(await text(await ask("/healthz"))).toBe("ok");
});

test("a request that is no HTTP is refused once, however many agents have served", async () => {
  await servers.handOver();
  await serve("next");
  const socket = connect(options.socket);
  socket.write("garbage\r\n\r\n");
  expect((await text(socket)).match(/HTTP\/1\.1 400/g)).toHaveLength(1);
});

test("an agent with other ports gets its own servers, and the handed over ones stop", async () => {
  await servers.handOver();
  const former = servers;
  servers = await bindServers({ ...options, port: 0 }, former);
  expect(servers).not.toBe(former);
  await expect(fetch(`http://127.0.0.1:${options.port}/healthz`)).rejects.toThrow("fetch failed");
  await serve("next");
  expect((await listed()).names).toEqual(["next"]);
  await servers.stop();
  await expect(stat(options.socket)).rejects.toThrow("ENOENT");
});
