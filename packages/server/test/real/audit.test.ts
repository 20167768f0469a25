import { existsSync } from "node:fs";
import { symlink } from "node:fs/promises";
import { type ServerResponse as Answer, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { RuntimeError } from "@hooklet/core/host";
import { systemClock } from "@hooklet/utils";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { pino } from "pino";
import { peerText } from "../../src/audit.js";
import { bindServers, startServers } from "../../src/servers.js";
import { FakeAgent } from "../fake-agent.js";
import { aPod } from "../samples.js";
import { scripted } from "../scripted-exec.js";
import { onFreePorts, startFake, temporaryFolder } from "../start.js";

const own = `uid ${process.getuid?.()}`;

async function audited(api: FakeAgent, count: number): Promise<FakeAgent["audited"]> {
  for (let look = 0; look < 3_000 && api.audited.length < count; look++) await pause(20);
  return api.audited;
}

test("every change through the control socket is recorded with request, outcome and client: uid and pid from the kernel", async () => {
  const { api, client } = await startFake();
  api.setPods([aPod("web")]);
  await client.deletePod({ namespace: "default", name: "web" }, { gracePeriodSeconds: 3 });
  const [change] = await audited(api, 1);
  expect(change).toMatchObject({
    what: "delete pod default/web within 3 s",
    outcome: "done",
    ok: true,
    isSession: false,
  });
  expect(change?.by).toMatch(new RegExp(`^${own}.*pid ${process.pid}`));
});

describe("with other programs at hand", () => {
  const { PATH } = process.env;
  let only: string;

  beforeEach(async () => {
    only = await temporaryFolder();
    process.env.PATH = only;
  });

  afterEach(() => {
    process.env.PATH = PATH;
  });

  const reports = async (): Promise<string | undefined> => {
    const { api, client } = await startFake();
    await client.deletePod({ namespace: "default", name: "none" }, {}).catch(() => undefined);
    return (await audited(api, 1))[0]?.by;
  };

  /** Not one that is found by a script of its own, which needs other programs. */
  const python = "/usr/bin/python3";

  (existsSync(python) ? test : test.skip)("python3 asks where there is no perl", async () => {
    await symlink(python, join(only, "python3"));
    expect(await reports()).toMatch(new RegExp(`^${own}.*pid ${process.pid}`));
  });

  test("without both, the entry has no client", async () => {
    expect(await reports()).toBe("a client that this platform does not identify");
  });
});

test("a refused change is recorded too, with the reason", async () => {
  const { api, client } = await startFake();
  await expect(client.deletePod({ namespace: "default", name: "none" }, {})).rejects.toThrow();
  const [change] = await audited(api, 1);
  expect(change).toMatchObject({ what: "delete pod default/none", ok: false });
  expect(change?.outcome).toMatch(/^refused: /);
});

test("a pod that is named without the node's suffix is recorded by its whole name", async () => {
  const { api, client } = await startFake();
  api.setPods([aPod("web-node1")]);
  await client.deletePod({ namespace: "default", name: "web" }, {});
  expect(await audited(api, 1)).toMatchObject([{ what: "delete pod default/web-node1" }]);
});

test("a session in a pod is recorded as one: a cp is several, and no change of the node", async () => {
  const { api, client } = await startFake();
  api.setPods([aPod("web")]);
  api.execScript = scripted((input) => input, 0);
  const session = await client.exec({ name: "web" }, { command: ["tar", "secret"], tty: false, stdin: true }, () => {});
  session.endInput();
  await session.exitCode;
  expect(await audited(api, 1)).toMatchObject([
    { what: "exec in pod default/web: tar", outcome: "started", ok: true, isSession: true },
  ]);
});

test("a command that the runtime could not run is recorded as failed, with the reason", async () => {
  const { api, client } = await startFake();
  api.setPods([aPod("web")]);
  api.execScript = (...args) => ({
    ...scripted((input) => input, 0)(...args),
    exitCode: Promise.reject(new RuntimeError("unknown", 'exec: "no": executable file not found in $PATH')),
  });
  const session = await client.exec({ name: "web" }, { command: ["no"], tty: false, stdin: false }, () => {});
  await expect(session.exitCode).rejects.toThrow("executable file not found");
  expect((await audited(api, 2)).at(-1)).toMatchObject({
    outcome: 'failed: exec: "no": executable file not found in $PATH',
    ok: false,
  });
});

test("reads are not recorded", async () => {
  const { api, client } = await startFake();
  await client.pods();
  await client.version();
  expect(api.audited).toEqual([]);
});

test.each([
  { name: "somebody", facts: { uid: 0, gid: 0, pid: 7 }, text: "uid 0, pid 7" },
  { name: "with a program", facts: { uid: 0, gid: 0, pid: 7, program: "hooklet" }, text: "uid 0, pid 7 (hooklet)" },
  { name: "behind sudo", facts: { uid: 0, gid: 0, pid: 7, loginUid: 1000 }, text: "uid 0 (logged in as 1000), pid 7" },
  { name: "as who logged in", facts: { uid: 5, gid: 5, pid: 7, loginUid: 5 }, text: "uid 5, pid 7" },
])("$name in words", ({ facts, text }) => {
  expect(peerText(facts)).toBe(text);
});

test("a bound listener without an agent answers to try again", async () => {
  const socket = join(await temporaryFolder(), "hooklet.sock");
  const { servers, port } = await onFreePorts(async ({ port }) => ({
    servers: await bindServers({ socket, port, clock: systemClock }),
    port,
  }));
  const early = await fetch(`http://127.0.0.1:${port}/healthz`);
  expect([early.status, await early.json()]).toEqual([503, expect.objectContaining({ code: "AGENT_STARTING" })]);
  (await servers.prepare(new FakeAgent(), pino({ level: "silent" })))();
  expect(await (await fetch(`http://127.0.0.1:${port}/healthz`)).text()).toBe("ok");
  await servers.stop();
  await servers.stop();
});

test("two agents cannot have one port", async () => {
  const { url } = await startFake();
  const socket = join(await temporaryFolder(), "hooklet.sock");
  const port = Number(new URL(url).port);
  const starting = startServers({
    api: new FakeAgent(),
    socket,
    port,
    // Who asks and who answers share an event loop.
    clock: { ...systemClock, schedule: (after, run) => systemClock.schedule(60 * after, run) },
    log: pino({ level: "silent" }),
  });
  await expect(starting).rejects.toThrow(
    `${port} (something answers there as a node agent does: hooklet, for example of npm start, or a kubelet). Choose another --port`,
  );
});

/** The head of an answer that goes on and on: never idle, never read to its end. */
function drips(_: unknown, { socket }: Answer): void {
  socket?.on("error", () => undefined).write("HTTP/1.1 200 OK\r\n");
  const drip = setInterval(() => socket?.write("X-A: a\r\n"), 100);
  socket?.once("close", () => clearInterval(drip));
}

test("a port in use by another program is reported as that, even if it never answers or never ends", async () => {
  const others = await Promise.all(
    [(_: unknown, answer: Answer) => answer.end("hello"), () => undefined, drips].map(async (answers) => {
      const other = createServer(answers);
      await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
      return other;
    }),
  );
  for (const other of others) {
    const { port } = other.address() as AddressInfo;
    const socket = join(await temporaryFolder(), "hooklet.sock");
    const starting = bindServers({ socket, port, clock: systemClock });
    await expect(starting).rejects.toThrow(`address already in use 127.0.0.1:${port}. Choose another --port`);
    other.closeAllConnections();
    other.close();
  }
});
