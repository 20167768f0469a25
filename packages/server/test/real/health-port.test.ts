/** `healthzPort`: health alone, in a pool of its own. */
import { once } from "node:events";
import { request } from "node:http";
import { connect } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { systemClock } from "@hooklet/utils";
import { expect, test } from "@jest/globals";
import { pino } from "pino";
import { bindServers } from "../../src/servers.js";
import { FakeAgent } from "../fake-agent.js";
import { onFreePorts, temporaryFolder } from "../start.js";

const log = pino({ level: "silent" });

async function started() {
  const folder = await temporaryFolder();
  return onFreePorts(async ({ port, readOnlyPort }) => {
    const healthz = { address: "127.0.0.1", port: readOnlyPort };
    const options = { socket: join(folder, "hooklet.sock"), port, healthz, clock: systemClock };
    return { servers: await bindServers(options), options, url: `http://127.0.0.1:${readOnlyPort}` };
  });
}

test("it has health and nothing else, for any host name", async () => {
  const { servers, url } = await started();
  (await servers.prepare(new FakeAgent(), log))();
  const asked = async (path: string): Promise<string> => {
    const call = request(`${url}${path}`, { headers: { host: "node1.example" } }).end();
    const [answer] = await once(call, "response");
    return `${answer.statusCode} ${await text(answer)}`;
  };
  expect([await asked("/healthz"), await asked("/readyz")]).toEqual(["200 ok", "200 ok"]);
  for (const path of ["/metrics", "/metrics/further", "/pods", "/events", "/stats/summary", "/explain", "/configz"]) {
    expect(await asked(path)).toMatch(/^404 .*"NO_ROUTE"/);
  }
  await servers.stop();
});

test("it is taken before anything starts: one that cannot be had leaves nothing, and is named", async () => {
  const { servers, options } = await started();
  const second = bindServers({ ...options, port: 0, socket: join(await temporaryFolder(), "other.sock") });
  await expect(second).rejects.toThrow(/127\.0\.0\.1:\d+.*Choose another healthzPort, or 0 for none/s);
  await servers.stop();
});

test("a client that holds every connection for metrics holds none of it", async () => {
  const { servers, options, url } = await started();
  (await servers.prepare(new FakeAgent(), log))();
  const crowd = Array.from({ length: 600 }, () => connect(options.port, "127.0.0.1").on("error", () => undefined));
  await Promise.all(crowd.map((socket) => once(socket, "connect")));
  for (const socket of crowd) socket.write("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
  expect(await (await fetch(`${url}/healthz`)).text()).toBe("ok");
  for (const socket of crowd) socket.destroy();
  await servers.stop();
});
