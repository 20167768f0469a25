/** Streams whose time is over, as hooklet's own client sees them: they go on. */
import { appendFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { AgentClient } from "@hooklet/cli/client";
import { VirtualClock } from "@hooklet/testkit";
import { afterEach, expect, test } from "@jest/globals";
import { fastify } from "fastify";
import { pino } from "pino";
import { containerLogsRoute } from "../../src/container-logs.js";
import { control } from "../../src/endpoints.js";
import { startServers } from "../../src/servers.js";
import { StreamPool } from "../../src/stream-pool.js";
import { FakeAgent } from "../fake-agent.js";
import { anEvent, aPod } from "../samples.js";
import { temporaryFolder } from "../start.js";

const log = pino({ level: "silent" });
const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

async function started() {
  const [api, clock, folder] = [new FakeAgent(), new VirtualClock(), await temporaryFolder()];
  const socket = join(folder, "hooklet.sock");
  const servers = await startServers({ api, socket, port: 0, clock, log });
  const client = new AgentClient(socket);
  endings.push(
    () => servers.stop(),
    () => client.close(),
  );
  const until = async (what: () => boolean): Promise<void> => {
    for (let tries = 0; tries < 1_000 && !what(); tries += 1) {
      await clock.advance(100);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(what()).toBe(true);
  };
  /** Streams that have been asked for. */
  const asked = (path: string): number => api.requests.filter((one) => one.path === path && one.longRunning).length;
  return { api, clock, client, folder, until, asked };
}

/** What has come so far; the client leaves when the test is over. */
function collected<T>(watch: (signal: AbortSignal) => AsyncIterable<T>, words: (item: T) => string): readonly string[] {
  const left = new AbortController();
  const found: string[] = [];
  const reading = (async () => {
    for await (const item of watch(left.signal)) found.push(words(item));
  })().catch(() => undefined);
  endings.push(async () => {
    left.abort();
    await reading;
  });
  return found;
}

test("watchers of pods and of events lose nothing and hear nothing twice when their streams end", async () => {
  const { api, clock, client, until, asked } = await started();
  api.setPods([aPod("a")]);
  api.emit(anEvent("a", "Started"));
  const pods = collected(
    (signal) => client.watchPods(signal),
    ({ type, object }) => `${type} ${object.metadata.name}`,
  );
  const events = collected(
    (signal) => client.watchEvents({}, signal),
    ({ involvedObject, reason }) => `${reason} ${involvedObject.name}`,
  );
  await until(() => pods.length === 1 && events.length === 1);
  await clock.advance(control.streams.total);
  await until(() => asked("pods") === 2 && asked("events") === 2);
  api.setPods([aPod("b")]);
  api.emit(anEvent("b", "Started"));
  await until(() => pods.length === 3 && events.length === 2);
  expect([[...pods].sort(), events]).toEqual([
    ["ADDED a", "ADDED b", "DELETED a"],
    ["Started a", "Started b"],
  ]);
});

test("a reader that follows a log gets it whole and once, however often the stream ends", async () => {
  const { api, clock, folder, until } = await started();
  api.setPods([aPod("web")]);
  // Four hours of reads of a file are many.
  const socket = join(folder, "logs.sock");
  const app = fastify();
  const idle = 2_000;
  let asked = 0;
  app.addHook("onRequest", async () => {
    asked += 1;
  });
  const streams = new StreamPool({ ...control.streams, idle }, clock);
  containerLogsRoute(app, { api, clock, log }, { streams, client: "person" });
  await app.listen({ path: socket });
  const client = new AgentClient(socket);
  endings.push(
    () => app.close(),
    () => client.close(),
  );
  const path = join(folder, "0.log");
  await writeFile(path, "0\n");
  let ended = false;
  api.logFile = { path, format: "raw", ended: () => ended };
  let text = "";
  const reading = (async () => {
    for await (const frame of client.logs({ name: "web" }, { container: "main", follow: true, tail: 1 })) {
      if ("stdout" in frame) text += frame.stdout.toString();
    }
  })();
  for (let round = 1; round <= 4; round += 1) {
    await until(() => text.endsWith(`${round - 1}\n`));
    await clock.advance(idle);
    await appendFile(path, `${round}\n`);
    await until(() => asked > round);
  }
  await until(() => text.endsWith("4\n"));
  ended = true;
  for (let over = false; !over; ) {
    await clock.advance(100);
    over = await Promise.race([
      reading.then(() => true),
      new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 5)),
    ]);
  }
  expect(text).toBe("0\n1\n2\n3\n4\n");
});
