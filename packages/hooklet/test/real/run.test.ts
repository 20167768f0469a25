import { once } from "node:events";
import { mkdir, stat, writeFile } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { queryObjects } from "node:v8";
import { AgentClient } from "@hooklet/cli/client";
import { definePlugin } from "@hooklet/core";
import { defineRuntime } from "@hooklet/core/host";
import { systemClock } from "@hooklet/utils";
import { describe, expect, test } from "@jest/globals";
import { z } from "zod";
import { temporaryFolder } from "../../../server/test/start.js";
import { SimulatedRuntime } from "../../../sim/src/runtime/simulated-runtime.js";
import type { Distribution } from "../../src/agent-context.js";
import { type FakeIo, fakeIo, hooklet, host, type Result } from "../binary.js";

const pod = (name: string, command: string): string => `
apiVersion: v1
kind: Pod
metadata: {name: ${name}}
spec:
  restartPolicy: Never
  containers: [{name: main, image: "test:1", command: [${command}]}]
`;

interface Setup {
  readonly folder: string;
  readonly io: FakeIo;
  readonly runtime: SimulatedRuntime;
  run(more: string): Promise<Result>;
}

/** `hooklet run` on a simulated runtime: `forever` runs on, `fails` ends with 1, `works` with 0. */
async function setUp(manifests: Readonly<Record<string, string>>, plugin?: unknown): Promise<Setup> {
  const folder = await temporaryFolder();
  await mkdir(join(folder, "manifests"));
  await writeFile(join(folder, "hookletrc.json"), JSON.stringify({ plugins: plugin === undefined ? [] : ["watched"] }));
  for (const [name, text] of Object.entries(manifests)) await writeFile(join(folder, "manifests", name), text);
  const runtime = new SimulatedRuntime({
    clock: systemClock,
    images: [{ names: ["test:1"] }],
    programs: {
      forever: (process) => process.onTerm(() => process.exit(0)),
      works: (process) => process.exit(0),
      fails: (process) => process.exit(1),
    },
  });
  const factory = defineRuntime({
    meta: { name: "simulated", api: 1 },
    options: z.strictObject({}),
    create: () => runtime,
  });
  const by: Distribution = {
    ...host,
    modules: {
      resolve: (name) => `/fake/${name}.js`,
      load: async (file) => ({ default: file.includes("watched") ? plugin : factory }),
    },
  };
  const io: FakeIo = { ...fakeIo(), cwd: () => folder, clock: systemClock };
  const words = `run --config hookletrc.json --root-dir root --manifests manifests --node-name n1 --runtime simulated --port 0`;
  return { folder, io, runtime, run: (more) => hooklet(`${words} ${more}`, io, by) };
}

/** Of the one pod of the agent in the folder. */
async function untilPhase(folder: string, wanted: string): Promise<void> {
  const client = new AgentClient(join(folder, "root/hooklet.sock"));
  const phase = async (): Promise<string | undefined> => (await client.pods().catch(() => []))[0]?.status?.phase;
  for (let tries = 0; tries < 3_000 && (await phase()) !== wanted; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 20));
  expect(await phase()).toBe(wanted);
  await client.close();
}

test("--once prints the table when all is settled, tears down and ends with 0", async () => {
  const { io, folder, run } = await setUp({ "web.yaml": pod("web", "forever"), "job.yaml": pod("job", "works") });
  const { code, out } = await run("--once");
  expect([code, io.stderr.text.includes("error")]).toEqual([0, false]);
  expect(out).toMatch(/^NAME +READY +STATUS +RESTARTS +AGE\njob-n1 +0\/1 +Completed .*\nweb-n1 +1\/1 +Running .*\n$/);
  await expect(stat(join(folder, "root/hooklet.sock"))).rejects.toThrow("ENOENT");
});

test("a port that is taken ends the start before the runtime is asked for anything: no pod is left without an agent", async () => {
  const other = createServer((connection) => connection.resume());
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const { port } = other.address() as AddressInfo;
  const { io, run, runtime } = await setUp({ "web.yaml": pod("web", "forever") });
  const asked: string[] = [];
  const start = runtime.start.bind(runtime);
  runtime.start = async () => {
    asked.push("start");
    await start();
  };
  const { code } = await run(`--port ${port}`);
  expect([code, asked]).toEqual([1, []]);
  expect(io.stderr.text).toContain(`127.0.0.1:${port}`);
  await new Promise((resolve) => other.close(resolve));
});

test("--once shows the namespaces where there are several", async () => {
  const { run } = await setUp({
    "a.yaml": pod("web", "works"),
    "b.yaml": pod("web", "works").replace("{name: web}", "{name: web, namespace: other}"),
  });
  expect((await run("--once")).out).toMatch(/^NAMESPACE +NAME .*\ndefault +web-n1 .*\nother +web-n1 .*\n$/);
});

test("--once ends with 1 and names the pod when one failed", async () => {
  const { run } = await setUp({ "bad.yaml": pod("bad", "fails") });
  const { code, out, err } = await run("--once");
  expect([code, out]).toEqual([1, expect.stringMatching(/bad-n1 +0\/1 +Error/)]);
  expect(err).toContain("error: pod bad-n1 failed");
  expect(err).toContain("pod bad-n1:\n  container main: exit code 1 (Error)\n");
});

test("--once ends with 1 when a manifest cannot be used", async () => {
  const { run } = await setUp({
    "bad.yaml": "apiVersion: v1\nkind: Pod\nmetadata: {name: bad}\nspec: {containers: []}\n",
  });
  const { code, err } = await run("--once");
  expect([code, err]).toEqual([1, expect.stringMatching(/error: .*bad\.yaml/)]);
});

test("--once gives up after --timeout and names what it waited for", async () => {
  const sidecarless = pod("slow", "forever").replace(
    "spec:",
    "spec:\n  readinessGates: [{conditionType: example.com/never}]",
  );
  const { run } = await setUp({ "slow.yaml": sidecarless });
  const { code, err } = await run("--once --timeout 1500ms");
  expect([code, err]).toEqual([1, expect.stringContaining("error: not ready after 1.5 s: slow-n1")]);
});

test("without a terminal each event is a line, the socket answers, and Ctrl-C stops pods and agent", async () => {
  const { folder, io, run } = await setUp({ "web.yaml": pod("web", "forever") });
  const running = run("--log-format json");
  await untilPhase(folder, "Running");
  io.signals.emit("SIGINT");
  expect((await running).code).toBe(0);
  const lines = io.stderr.text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { msg: string; event?: { reason: string } });
  expect(lines.map(({ event }) => event?.reason)).toEqual(expect.arrayContaining(["Started", "Killing"]));
  expect(lines.map(({ msg }) => msg)).toContain("Waiting for pod web-n1 to stop. Ctrl-C again kills at once.");
  expect(lines.at(-1)?.msg).toBe("All pods have stopped; the agent ends.");
});

test.each([
  { name: "run on", command: "forever", phase: "Running", says: "The agent ends; its pods run on." },
  { name: "have ended", command: "works", phase: "Succeeded", says: "The agent ends; none of its pods runs." },
])("SIGTERM where pods $name: $says", async ({ command, phase, says }) => {
  const { folder, io, run } = await setUp({ "web.yaml": pod("web", command) });
  const running = run("--log-format json");
  await untilPhase(folder, phase);
  io.signals.emit("SIGTERM");
  expect((await running).code).toBe(0);
  expect(io.stderr.text).toContain(says);
});

describe("reload", () => {
  async function agent(plugin?: unknown) {
    const { folder, io, run } = await setUp({ "web.yaml": pod("web", "forever") }, plugin);
    const running = run("--log-format json");
    await untilPhase(folder, "Running");
    const client = new AgentClient(join(folder, "root/hooklet.sock"));
    return {
      io,
      folder,
      client,
      reload: () => hooklet("reload --root-dir root", { ...fakeIo(), cwd: () => folder, clock: systemClock }),
      rc: (options: object) => writeFile(join(folder, "hookletrc.json"), JSON.stringify({ plugins: [], ...options })),
      async container() {
        const [web] = await client.pods();
        const [container] = web?.status?.containerStatuses ?? [];
        return [container?.containerID, container?.restartCount, container?.state?.running?.startedAt];
      },
      async end() {
        io.signals.emit("SIGINT");
        expect((await running).code).toBe(0);
        await client.close();
      },
    };
  }
  /** The pods' names, asked for again and again until the work is done; rejects when nothing answers, or not with a list. */
  async function whileListing<T>(folder: string, work: () => Promise<T>): Promise<[T, readonly string[]]> {
    const lists: string[] = [];
    let isOver = false;
    const working = work().finally(() => {
      isOver = true;
    });
    while (!isOver) {
      const call = request({ socketPath: join(folder, "root/hooklet.sock"), path: "/pods", agent: false }).end();
      const [answer] = (await once(call, "response")) as [IncomingMessage];
      const { items } = (await json(answer)) as { items: readonly { metadata: { name: string } }[] };
      lists.push(items.map(({ metadata }) => metadata.name.replace(/-[^-]*$/, "")).join());
    }
    return [await working, lists];
  }

  const labelled = { node: { labels: { site: "north" } } };

  test("an agent with the rc file as it is now takes over; its pods run on", async () => {
    const { folder, client, reload, rc, container, end } = await agent();
    const [before, first] = [await container(), (await client.node()).startedAt];
    await rc(labelled);
    const [{ code, out }, lists] = await whileListing(folder, reload);
    expect(new Set(lists)).toEqual(new Set(["web"]));
    expect([code, out]).toEqual([0, "The agent has reloaded its configuration; the pods run on.\n"]);
    const node = await client.node();
    expect([node.labels.site, node.startedAt > first]).toEqual(["north", true]);
    expect(await container()).toEqual(before);
    await end();
  });

  test("an agent that has ended is not kept in memory", async () => {
    const contexts: WeakRef<object>[] = [];
    const watched = definePlugin({
      meta: { name: "@example/watched", api: 1 },
      options: z.strictObject({}),
      start: (ctx) => {
        contexts.push(new WeakRef(ctx));
        return { health: () => ({ ok: true, message: ctx.node.name }) };
      },
    });
    const { reload, end } = await agent(watched);
    for (let times = 0; times < 3; times += 1) expect((await reload()).code).toBe(0);
    // It collects all garbage first.
    queryObjects(WeakRef);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(contexts.map((context) => context.deref() !== undefined)).toEqual([false, false, false, true]);
    await end();
  });

  test("reloads do not count as crashes of the agent", async () => {
    const { reload, end } = await agent();
    for (let times = 0; times < 5; times += 1) expect((await reload()).code).toBe(0);
    await end();
  });

  test.each([{ name: "a fault of the rc file", options: { colour: "red" }, says: /colour/ }])(
    "$name changes nothing",
    async ({ options, says }) => {
      const { client, reload, rc, end } = await agent();
      const { startedAt } = await client.node();
      await rc(options);
      const { code, err } = await reload();
      expect([code, err]).toEqual([1, expect.stringMatching(says)]);
      expect(err).toContain("Nothing is reloaded; the agent runs on as it is.");
      expect((await client.node()).startedAt).toBe(startedAt);
      await end();
    },
  );

  test("an agent that does not start with the new rc file leaves its place to one with the former", async () => {
    const other = createServer((connection) => connection.resume());
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    const { reload, rc, container, end } = await agent();
    const before = await container();
    await rc({ readOnlyPort: port });
    const { code, err } = await reload();
    expect([code, err]).toEqual([1, expect.stringContaining("runs with the former one: Cannot listen on")]);
    expect(await container()).toEqual(before);
    await end();
    await new Promise((resolve) => other.close(resolve));
  });

  test("SIGHUP asks for the same", async () => {
    const { client, io, rc, end } = await agent();
    await rc(labelled);
    io.signals.emit("SIGHUP");
    const site = async () => (await client.node().catch(() => undefined))?.labels.site;
    for (let tries = 0; tries < 500 && (await site()) === undefined; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await site()).toBe("north");
    await end();
  });
});

test("a terminal of no size gets log lines in place of a table", async () => {
  const { io, run } = await setUp({ "job.yaml": pod("job", "works") });
  Object.assign(io.stdout, { isTTY: true, columns: 0, rows: 0 });
  const { code, out, err } = await run("--once");
  expect([code, out]).toEqual([0, expect.stringMatching(/^NAME /)]);
  expect(err).toContain("Started container main");
});

test("all faults of the configuration are reported and nothing is started", async () => {
  const { folder, run } = await setUp({});
  const { code, err } = await run("--config nowhere.yaml");
  expect([code, err]).toEqual([1, expect.stringContaining("nowhere.yaml")]);
  await expect(stat(join(folder, "root"))).rejects.toThrow("ENOENT");
});

test.each(["--port 70000", "--port http", "--timeout soon", "--log-format xml"])("%s is refused", async (words) => {
  const { run } = await setUp({});
  expect((await run(words)).code).toBe(1);
});
