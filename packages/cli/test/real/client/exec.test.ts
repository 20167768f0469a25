import { RuntimeError } from "@hooklet/core/host";
import { expect, test } from "@jest/globals";
import { aPod } from "../../../../server/test/samples.js";
import { scripted } from "../../../../server/test/scripted-exec.js";
import { startFake } from "../../../../server/test/start.js";

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Answers each input with `got <input>`. */
const echo = scripted((input) => Buffer.from(`got ${input.toString()}`), 7);

test("input and output flow both ways over one request until the command ends", async () => {
  const { api, client } = await startFake();
  api.setPods([aPod("web")]);
  api.execScript = echo;
  const seen: string[] = [];
  const session = await client.exec({ name: "web" }, { command: ["sh"], tty: false, stdin: true }, (_stream, data) => {
    seen.push(data.toString());
    if (seen.length === 1) session.write(Buffer.from("two"));
    if (seen.length === 2) session.resize(80, 24);
    if (seen.length === 3) session.endInput();
  });
  session.write(Buffer.from("one"));
  expect(await session.exitCode).toBe(7);
  expect(seen).toEqual(["got one", "got two", "80x24"]);
});

test("a command for an unknown pod is refused before it starts", async () => {
  const { client } = await startFake();
  const options = { command: ["sh"], tty: false, stdin: false };
  const refused = { code: "NOT_FOUND", message: 'No pod "web"; there is none.' };
  const session = await client.exec({ name: "web" }, { ...options, container: "main" }, () => undefined);
  await expect(session.exitCode).rejects.toMatchObject(refused);
  await expect(client.exec({ name: "web" }, options, () => undefined)).rejects.toMatchObject(refused);
});

test("a client that hangs up takes its command with it", async () => {
  const { api, client } = await startFake();
  api.setPods([aPod("web")]);
  let aborted: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => {
    aborted = resolve;
  });
  api.execScript = (command, output) => ({ ...echo(command, output), abort: aborted });
  const session = await client.exec({ name: "web" }, { command: ["sh"], tty: false, stdin: true }, () =>
    session.abort(),
  );
  session.write(Buffer.from("x"));
  await expect(session.exitCode).rejects.toThrow();
  await gone;
});

test("binary output of a megabyte arrives unchanged", async () => {
  const { api, client } = await startFake();
  api.setPods([aPod("web")]);
  const data = Buffer.alloc(1024 * 1024, 0xfe);
  api.execScript = (command, output) => {
    for (let at = 0; at < data.length; at += 65_536) output("stdout", data.subarray(at, at + 65_536));
    return { ...echo(command, output), exitCode: Promise.resolve(0) };
  };
  const pieces: Buffer[] = [];
  const session = await client.exec({ name: "web" }, { command: ["x"], tty: false, stdin: false }, (stream, data) => {
    if (stream === "stdout") pieces.push(data);
  });
  expect(await session.exitCode).toBe(0);
  expect(Buffer.concat(pieces).equals(data)).toBe(true);
});

test("a command that does not read holds the input up, and is ended when the client leaves", async () => {
  const { api, client } = await startFake();
  api.setPods([aPod("web")]);
  let aborted: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => {
    aborted = resolve;
  });
  let got = 0;
  api.execScript = (command, output) => ({
    ...echo(command, output),
    write: (data) => {
      got += data.length;
    },
    drained: () => new Promise(() => undefined),
    abort: aborted,
  });
  const session = await client.exec({ name: "web" }, { command: ["x"], tty: false, stdin: true }, () => undefined);
  const chunk = Buffer.alloc(65_536);
  let sent = 0;
  while (sent < 1000) {
    sent += 1;
    if (session.write(chunk)) continue;
    const isFree = await Promise.race([session.drained().then(() => true), pause(200).then(() => false)]);
    if (!isFree) break;
  }
  // What is on its way lies in the kernel's and the websockets' buffers, bounded on both sides.
  expect(sent).toBeLessThan(100);
  while (got === 0) await pause(5);
  expect(got).toBe(chunk.length);
  session.abort();
  await expect(session.exitCode).rejects.toThrow();
  await session.drained();
  await gone;
});

test("a wait for the input to be sent ends with the command", async () => {
  const { api, client } = await startFake();
  api.setPods([aPod("web")]);
  let end: (code: number) => void = () => undefined;
  const exitCode = new Promise<number>((resolve) => {
    end = resolve;
  });
  api.execScript = (command, output) => ({
    ...echo(command, output),
    write: () => undefined,
    drained: () => new Promise(() => undefined),
    exitCode,
  });
  const session = await client.exec({ name: "web" }, { command: ["x"], tty: false, stdin: true }, () => undefined);
  while (session.write(Buffer.alloc(65_536)));
  const waited = session.drained();
  await pause(200);
  end(3);
  expect(await session.exitCode).toBe(3);
  await waited;
});

test("exit codes, and what could not be run, come over unchanged", async () => {
  const { api, client } = await startFake();
  api.setPods([aPod("web")]);
  for (const code of [0, 1, 137, 255]) {
    api.execScript = (command, output) => ({ ...echo(command, output), exitCode: Promise.resolve(code) });
    const session = await client.exec({ name: "web" }, { command: ["x"], tty: false, stdin: false }, () => undefined);
    expect(await session.exitCode).toBe(code);
  }
  api.execScript = (command, output) => ({
    ...echo(command, output),
    exitCode: Promise.reject(new RuntimeError("unavailable", "the runtime is gone")),
  });
  const session = await client.exec({ name: "web" }, { command: ["x"], tty: false, stdin: false }, () => undefined);
  await expect(session.exitCode).rejects.toMatchObject({ message: "the runtime is gone", status: 503 });
});

test("words of a command come over as they are, many and long ones too", async () => {
  const { api, client } = await startFake();
  api.setPods([aPod("web")]);
  let seen: readonly string[] = [];
  api.execScript = (command, output) => {
    seen = command;
    return { ...echo(command, output), exitCode: Promise.resolve(0) };
  };
  const command = ["sh", "-c", "echo a & b=c?%20\n", "", "ü", ...Array<string>(500).fill("x".repeat(200))];
  const session = await client.exec({ name: "web" }, { command, tty: false, stdin: false }, () => undefined);
  await session.exitCode;
  expect(seen).toEqual(command);
});

test("a socket without an agent, and an agent that goes away, are reported as such", async () => {
  const { api, client, stop } = await startFake();
  api.setPods([aPod("web")]);
  api.execScript = echo;
  const session = await client.exec({ name: "web" }, { command: ["x"], tty: false, stdin: true }, () => undefined);
  await stop();
  await expect(session.exitCode).rejects.toMatchObject({ code: "AGENT_NOT_RUNNING" });
  const again = client.exec({ name: "web" }, { command: ["x"], tty: false, stdin: true }, () => undefined);
  await expect(again).rejects.toMatchObject({ code: "AGENT_NOT_RUNNING" });
});

test("a slow reader holds the command up instead of losing its output", async () => {
  const { api, client } = await startFake();
  api.setPods([aPod("web")]);
  const total = 64 * 1024 * 1024;
  let sent = 0;
  let furthest = 0;
  let paused = false;
  api.execScript = (command, output) => {
    let end: (code: number) => void = () => undefined;
    const exitCode = new Promise<number>((resolve) => {
      end = resolve;
    });
    const produce = (): void => {
      while (!paused && sent < total) {
        sent += 65_536;
        output("stdout", Buffer.alloc(65_536));
      }
      if (sent >= total) end(0);
    };
    setImmediate(produce);
    const pause = (): void => {
      paused = true;
    };
    const resume = (): void => {
      paused = false;
      produce();
    };
    return { ...echo(command, output), exitCode, pause, resume };
  };
  let received = 0;
  const session = await client.exec(
    { name: "web" },
    { command: ["x"], tty: false, stdin: false },
    async (_stream, data) => {
      if (received === 0) await new Promise((resolve) => setTimeout(resolve, 300));
      furthest = Math.max(furthest, sent - received);
      received += data.length;
    },
  );
  expect(await session.exitCode).toBe(0);
  expect(received).toBe(total);
  expect(furthest).toBeLessThan(16 * 1024 * 1024);
});
