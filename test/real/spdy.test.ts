/** The agent's SPDY server, which a node without a streaming server of its runtime needs, and the CRI runtime's SPDY client. */
import http from "node:http";
import net, { type AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import type { AgentApi, InteractiveExec } from "@hooklet/core/host";
import { systemClock } from "@hooklet/utils";
import { afterEach, expect, test } from "@jest/globals";
import { pino } from "pino";
import { interactiveExec } from "../../packages/runtime-cri/src/stream/interactive-exec.js";
import { forwardedPort } from "../../packages/runtime-cri/src/stream/port-forward.js";
import { spdyDictionary } from "../../packages/server/src/streams/spdy-dictionary.js";
import { type Admission, Upgrades } from "../../packages/server/src/streams/upgrades.js";

const endings: (() => void)[] = [];
afterEach(() => {
  for (const end of endings.splice(0).reverse()) end();
});

function withResolvers<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Serves the streams of one pod, `web`, whose agent is `api`. */
async function serve(api: Partial<AgentApi>): Promise<string> {
  const pod = { metadata: { namespace: "default", name: "web", uid: "u1" }, spec: { containers: [] } };
  const known = { pod: () => pod, streamUrl: async () => undefined, httpRequest: () => () => undefined };
  const agent = { ...known, ...api } as unknown as AgentApi;
  const admit: Admission = async () => ({ status: 200, noted: (_what, work) => work() });
  const context = { api: agent, clock: systemClock, log: pino({ level: "silent" }) };
  const endpoint = { client: "apiServer", streams: { atOnce: 1, idle: 3_600_000, total: 3_600_000 } } as const;
  const streams = new Upgrades(context, { admit, endpoint });
  const server = http.createServer();
  server.on("upgrade", (request, socket, head) => void streams.upgrade(request, socket, head));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  endings.push(() => {
    streams.close();
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type Output = Parameters<AgentApi["exec"]>[3];

/** A command that prints its input. */
function echo(sizes: string[] = []): AgentApi["exec"] {
  return async (_pod, _container, { command }, output: Output): Promise<InteractiveExec> => {
    const ended = withResolvers<number>();
    output("stdout", Buffer.from(`${command.join(" ")}\n`));
    output("stderr", Buffer.from("warning\n"));
    return {
      exitCode: ended.promise,
      write: (data) => output("stdout", data),
      endInput: () => ended.resolve(3),
      resize: (columns, rows) => void sizes.push(`${columns}x${rows}`),
      abort: () => ended.resolve(137),
    };
  };
}

test("a command: its words, input to the end, both outputs, its exit code", async () => {
  const url = await serve({ exec: echo() });
  const said = { stdout: "", stderr: "" };
  const path = "/exec/default/web/main?command=say&command=hi&input=1&output=1&error=1";
  const exec = await interactiveExec(`${url}${path}`, { tty: false, stdin: true }, systemClock, (stream, data) => {
    said[stream] += data.toString();
  });
  exec.write(Buffer.from("a".repeat(300_000)));
  exec.endInput();
  expect(await exec.exitCode).toBe(3);
  expect(said.stdout).toBe(`say hi\n${"a".repeat(300_000)}`);
  expect(said.stderr).toBe("warning\n");
});

test("a terminal has a size; a command that cannot be run fails with the reason", async () => {
  const sizes: string[] = [];
  const url = await serve({ exec: echo(sizes) });
  const path = "/exec/default/web/main?command=sh&input=1&output=1&tty=1";
  const exec = await interactiveExec(`${url}${path}`, { tty: true, stdin: true }, systemClock, () => undefined);
  exec.resize(120, 40);
  while (sizes.length === 0) await new Promise((resolve) => setImmediate(resolve));
  exec.endInput();
  expect(await exec.exitCode).toBe(3);
  expect(sizes).toEqual(["120x40"]);
  const refusing = await serve({ exec: async () => Promise.reject(new Error("no such program")) });
  const refused = await interactiveExec(
    `${refusing}/exec/default/web/main?command=x&output=1&error=1`,
    { tty: false, stdin: false },
    systemClock,
    () => undefined,
  );
  await expect(refused.exitCode).rejects.toThrow("no such program");
});

test("a client that leaves takes its command with it", async () => {
  const [started, aborted] = [withResolvers<void>(), withResolvers<void>()];
  const exec: AgentApi["exec"] = async () => {
    started.resolve();
    return {
      exitCode: new Promise(() => undefined),
      write: () => undefined,
      endInput: () => undefined,
      resize: () => undefined,
      abort: () => aborted.resolve(),
    };
  };
  const url = await serve({ exec });
  const path = `${url}/exec/default/web/main?command=x&output=1&error=1`;
  const client = await interactiveExec(path, { tty: false, stdin: false }, systemClock, () => undefined);
  await started.promise;
  client.abort();
  await aborted.promise;
});

test("output that cannot be held up, and whose reader takes nothing, ends the command", async () => {
  const [started, aborted] = [withResolvers<Output>(), withResolvers<void>()];
  const exec: AgentApi["exec"] = async (_pod, _container, _options, output) => {
    started.resolve(output);
    return {
      exitCode: new Promise(() => undefined),
      write: () => undefined,
      endInput: () => undefined,
      resize: () => undefined,
      abort: () => aborted.resolve(),
    };
  };
  const url = await serve({ exec });
  const path = `${url}/exec/default/web/main?command=yes&output=1&error=1`;
  const client = await interactiveExec(path, { tty: false, stdin: false }, systemClock, () => undefined);
  client.pause?.();
  const output = await started.promise;
  const piece = Buffer.alloc(1024 * 1024);
  let cut = false;
  void aborted.promise.then(() => {
    cut = true;
  });
  // What the kernel's buffers and the client's own take, and what may wait.
  let megabytes = 0;
  for (; megabytes < 64 && !cut; megabytes += 1) {
    output("stdout", piece);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect({ cut, megabytes: megabytes < 64 }).toEqual({ cut: true, megabytes: true });
});

test("a port: bytes both ways until both ends are done; an unavailable one is an error", async () => {
  const server = net.createServer((socket) => socket.pipe(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  endings.push(() => server.close());
  const { port } = server.address() as AddressInfo;
  const portForward: AgentApi["portForward"] = async (_pod, asked) => {
    if (asked !== 80) throw new Error("connection refused");
    return net.connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  };
  const url = await serve({ portForward });
  const good = await forwardedPort(`${url}/portForward/default/web`, 80, systemClock);
  const sent = Buffer.alloc(500_000, "x");
  const received: Buffer[] = [];
  new PassThrough().end(sent).pipe(good);
  for await (const chunk of good) received.push(chunk as Buffer);
  expect(Buffer.concat(received).equals(sent)).toBe(true);
  const bad = await forwardedPort(`${url}/portForward/default/web`, 81, systemClock);
  await expect(bad.toArray()).rejects.toThrow("port 81: error forwarding port 81: connection refused");
});

test("the dictionary is SPDY's", () => {
  expect(spdyDictionary()).toHaveLength(1423);
});
