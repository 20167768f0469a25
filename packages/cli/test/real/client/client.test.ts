import { createServer } from "node:http";
import { join } from "node:path";
import { bindServers } from "@hooklet/server";
import { type Clock, systemClock } from "@hooklet/utils";
import { expect, test } from "@jest/globals";
import { pino } from "pino";
import { FakeAgent } from "../../../../server/test/fake-agent.js";
import { anEvent, aPod } from "../../../../server/test/samples.js";
import { startFake, temporaryFolder } from "../../../../server/test/start.js";
import { AgentClient } from "../../../src/client/agent-client.js";

test("what the agent refuses arrives with its message, code and status", async () => {
  const { api, client } = await startFake();
  api.setPods([aPod("web")]);
  await expect(client.pod({ name: "webb" })).rejects.toMatchObject({
    message: 'No pod "webb". Did you mean "web"?',
    code: "NOT_FOUND",
    status: 404,
  });
});

test("an agent of an earlier version, which has other routes, is named as the reason", async () => {
  const socket = join(await temporaryFolder(), "old.sock");
  const old = createServer((_request, response) => {
    response.writeHead(404, { "content-type": "application/json" });
    response.end(JSON.stringify({ error: "There is no GET /exec/default/web/main here.", code: "NO_ROUTE" }));
  });
  await new Promise<void>((resolve) => old.listen(socket, resolve));
  const client = new AgentClient(socket);
  const options = { command: ["sh"], container: "main", tty: false, stdin: false };
  await expect(client.exec({ name: "web" }, options, () => undefined)).rejects.toThrow(
    'here. The agent is of another version: "hooklet version -o json" shows both.',
  );
  await client.close();
  old.closeAllConnections();
  await new Promise((resolve) => old.close(resolve));
});

test("an uncaught error of the agent is 500 and the agent goes on", async () => {
  const { api, client } = await startFake();
  api.images = () => Promise.reject(new Error("disk on fire"));
  await expect(client.images()).rejects.toMatchObject({ message: "disk on fire", status: 500 });
  expect(await client.version()).toMatchObject({ version: "1.2.3" });
});

test("without an agent the error says in one sentence how to get one", async () => {
  const client = new AgentClient("/nonexistent/hooklet.sock");
  await expect(client.pods()).rejects.toMatchObject({
    code: "AGENT_NOT_RUNNING",
    message:
      'No agent answers on /nonexistent/hooklet.sock (there is no such socket): start one with "hooklet run", or name its root dir with --root-dir, or its socket with --socket or HOOKLET_SOCKET.',
  });
  await client.close();
});

test("an agent that reports that it starts is waited for, and the user is informed once", async () => {
  const socket = join(await temporaryFolder(), "hooklet.sock");
  const servers = await bindServers({ socket, port: 0, clock: systemClock });
  const impatient = new AgentClient(socket);
  await expect(impatient.pods()).rejects.toMatchObject({ answerCode: "AGENT_STARTING", status: 503 });
  let reported = 0;
  let isReported = (): void => undefined;
  const waiting = new Promise<void>((resolve) => {
    isReported = resolve;
  });
  const waits = (): void => {
    reported += 1;
    isReported();
  };
  const client = new AgentClient(socket, { clock: systemClock, waits });
  const answer = client.apply("a: b", "web.yaml");
  await waiting;
  const api = new FakeAgent();
  (await servers.prepare(api, pino({ level: "silent" })))();
  await answer;
  expect([reported, api.calls]).toEqual([1, [["apply", 4, "web.yaml"]]]);
  await Promise.all([impatient.close(), client.close()]);
  await servers.stop();
});

test("pods as a former agent left them are no answer: the agent that starts is waited for", async () => {
  const socket = join(await temporaryFolder(), "hooklet.sock");
  const servers = await bindServers({ socket, port: 0, clock: systemClock });
  const serve = async (...names: readonly string[]): Promise<void> => {
    const api = new FakeAgent();
    api.setPods(names.map((name) => aPod(name)));
    (await servers.prepare(api, pino({ level: "silent" })))();
  };
  await serve("former");
  await servers.handOver();
  const impatient = new AgentClient(socket);
  await expect(impatient.pods()).rejects.toMatchObject({ answerCode: "AGENT_STARTING" });
  const client = new AgentClient(socket, { clock: systemClock, waits: () => void serve("next") });
  expect((await client.pods()).map(({ metadata }) => metadata.name)).toEqual(["next"]);
  await Promise.all([impatient.close(), client.close()]);
  await servers.stop();
});

test("an agent that does not come to its end of starting is an error after half a minute", async () => {
  const socket = join(await temporaryFolder(), "hooklet.sock");
  const servers = await bindServers({ socket, port: 0, clock: systemClock });
  let now = 0;
  const clock: Clock = { ...systemClock, monotonic: () => (now += 10_000) };
  const client = new AgentClient(socket, { clock });
  await expect(client.pods()).rejects.toThrow("The agent is starting");
  expect(now).toBe(40_000);
  await client.close();
  await servers.stop();
});

test("a manifest of 5 MB is taken, one above 10 MiB is refused with 413", async () => {
  const { api, client } = await startFake();
  await client.apply("a".repeat(5_000_000), "web.yaml");
  expect(api.calls).toEqual([["apply", 5_000_000, "web.yaml"]]);
  await expect(client.apply("a".repeat(10 * 1024 * 1024 + 1), "web.yaml")).rejects.toMatchObject({ status: 413 });
});

test("deleting hands the grace period on", async () => {
  const { api, client } = await startFake();
  api.setPods([aPod("web")]);
  await client.deletePod({ name: "web" }, { gracePeriodSeconds: 0 });
  expect(api.calls).toEqual([["deletePod", "web", { gracePeriodSeconds: 0 }]]);
});

test("a watch of events gives those so far, then new ones, and is given up when the reader leaves", async () => {
  const { api, client } = await startFake();
  api.emit(anEvent("web", "Pulled"));
  const seen: (string | undefined)[] = [];
  for await (const event of client.watchEvents({ for: "pod/web" })) {
    seen.push(event.reason);
    if (seen.length === 1) {
      api.emit(anEvent("db", "Started"));
      api.emit(anEvent("web", "Started"));
    } else break;
  }
  expect(seen).toEqual(["Pulled", "Started"]);
  await until(() => api.listeners === 0);
});

test("a watch of pods reports what was added, changed and deleted", async () => {
  const { api, client } = await startFake();
  api.setPods([aPod("web"), aPod("db")]);
  const seen: string[] = [];
  for await (const { type, object } of client.watchPods()) {
    seen.push(`${type} ${object.metadata.name}`);
    if (seen.length === 2) api.setPods([aPod("web", { status: { phase: "Failed" } })]);
    if (seen.length === 4) break;
  }
  expect(seen).toEqual(["ADDED web", "ADDED db", "MODIFIED web", "DELETED db"]);
});

test("a follow ends with an error that says so when the agent dies", async () => {
  const started = await startFake();
  const reading = (async () => {
    for await (const event of started.client.watchEvents()) if (event.reason === "Started") void started.stop();
  })();
  started.api.emit(anEvent("web", "Started"));
  await expect(reading).rejects.toMatchObject({
    code: "AGENT_NOT_RUNNING",
    message: expect.stringContaining("broke off"),
  });
});

test("plan, explain, views, plugins, images and node come back as the agent gave them", async () => {
  const api = new FakeAgent();
  api.decisions = [{ at: 1, plugin: "sample", strategy: "s", subject: "image/sha/x", considered: [], outcome: "kept" }];
  api.tables = { things: { columns: [{ name: "NAME" }], rows: [{ NAME: "a" }] } };
  api.imageList = [{ id: "sha256:a", repoTags: ["web:1"], repoDigests: [], size: 7, pinned: false }];
  const { client } = await startFake(api);
  expect(await client.plan("sample", { manifest: "kind: Pod", arguments: { until: "70" } })).toEqual(api.decisions);
  expect(await client.explain("image", "x")).toEqual(api.decisions);
  expect(await client.view("things")).toEqual(api.tables.things);
  expect(await client.views()).toEqual([{ name: "things", plugin: "sample", description: "things of the sample" }]);
  expect(await client.plugins()).toEqual(api.plugins());
  expect(await client.node()).toEqual(await api.node());
  expect(await client.images()).toEqual(api.imageList);
  expect(await client.importImage("web", "/tmp/web.tar")).toBe("sha256:web");
  await client.removeImage("web:1");
  await client.switchPlugin("sample", false);
  expect(api.calls).toEqual([
    ["plan", "sample", { manifest: "kind: Pod", arguments: { until: "70" } }],
    ["importImage", "web", "/tmp/web.tar"],
    ["removeImage", "web:1"],
    ["switchPlugin", "sample", false],
  ]);
  await expect(client.importImage("web", "relative.tar")).rejects.toThrow(/absolute path/);
});

async function until(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 3_000 && !condition(); tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(condition()).toBe(true);
}
