import type { InteractiveExec } from "@hooklet/core/host";
import { expect, test } from "@jest/globals";
import type { OutputFrame } from "../../../server/src/wire/frames.js";
import { aPod } from "../../../server/test/fake-agent.js";
import { startFake } from "../../../server/test/start.js";

/** Answers each input with `got <input>`, and ends with 7 when the input ends. */
function echo(
  _command: readonly string[],
  output: (stream: "stdout" | "stderr", data: Buffer) => void,
): InteractiveExec {
  let end: (code: number) => void = () => undefined;
  const exitCode = new Promise<number>((resolve) => {
    end = resolve;
  });
  return {
    exitCode,
    write: (data) => output("stdout", Buffer.from(`got ${data.toString()}`)),
    endInput: () => end(7),
    resize: (columns, rows) => output("stderr", Buffer.from(`${columns}x${rows}`)),
    abort: () => end(137),
  };
}

test("input and output flow both ways over one request until the command ends", async () => {
  const { api, client } = await startFake();
  api.setPods([aPod("web")]);
  api.execScript = echo;
  const seen: string[] = [];
  const session = client.exec({ name: "web" }, { command: ["sh"], tty: false, stdin: true }, (frame) => {
    seen.push(text(frame));
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
  const session = client.exec({ name: "web" }, { command: ["sh"], tty: false, stdin: false }, () => undefined);
  await expect(session.exitCode).rejects.toMatchObject({ code: "NOT_FOUND", message: 'No pod "web"; there is none.' });
});

test("a client that hangs up takes its command with it", async () => {
  const { api, client } = await startFake();
  api.setPods([aPod("web")]);
  let aborted: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => {
    aborted = resolve;
  });
  api.execScript = (command, output) => ({ ...echo(command, output), abort: aborted });
  const session = client.exec({ name: "web" }, { command: ["sh"], tty: false, stdin: true }, () => session.abort());
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
  const session = client.exec({ name: "web" }, { command: ["x"], tty: false, stdin: false }, (frame) => {
    if ("stdout" in frame) pieces.push(frame.stdout);
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
  const session = client.exec({ name: "web" }, { command: ["x"], tty: false, stdin: true }, () => undefined);
  const chunk = Buffer.alloc(65_536);
  let sent = 0;
  while (sent < 100 && session.write(chunk)) sent += 1;
  expect(sent).toBe(3);
  for (let tries = 0; tries < 100 && got < 4 * chunk.length; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(got).toBe(4 * chunk.length);
  session.abort();
  await expect(session.exitCode).rejects.toThrow();
  await session.drained();
  await gone;
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
  const session = client.exec({ name: "web" }, { command: ["x"], tty: false, stdin: false }, async (frame) => {
    if (!("stdout" in frame)) return;
    if (received === 0) await new Promise((resolve) => setTimeout(resolve, 300));
    furthest = Math.max(furthest, sent - received);
    received += frame.stdout.length;
  });
  expect(await session.exitCode).toBe(0);
  expect(received).toBe(total);
  expect(furthest).toBeLessThan(16 * 1024 * 1024);
});

function text(frame: OutputFrame): string {
  if ("stdout" in frame) return frame.stdout.toString();
  if ("stderr" in frame) return frame.stderr.toString();
  return JSON.stringify(frame);
}
