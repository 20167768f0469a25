import { createServer } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { findByCommand } from "../../src/proc/members.js";
import { TestNode, until } from "../node.js";

let node: TestNode;
let id: string;
beforeAll(async () => {
  node = await TestNode.start();
  id = await node.run(["/bin/sleep", "600"], { envs: [{ key: "WHO", value: "the container's" }] });
});
afterAll(() => node.end());

interface Session {
  text(): string;
  type(words: string): void;
  resize(columns: number, rows: number): void;
  abort(): void;
  readonly exitCode: Promise<number>;
}

/** A command on a terminal of the usual size, and all that it shows. */
async function onTerminal(...command: readonly string[]): Promise<Session> {
  const session = await withoutSize(...command);
  session.resize(80, 24);
  return session;
}

async function withoutSize(...command: readonly string[]): Promise<Session> {
  let text = "";
  const session = await node.runtime.exec(id, { command, tty: true, stdin: true }, (_, data) => {
    text += data.toString("utf8");
  });
  return {
    text: () => text.replaceAll("\r", ""),
    type: (words) => session.write(Buffer.from(words)),
    resize: (columns, rows) => session.resize(columns, rows),
    abort: () => session.abort(),
    exitCode: session.exitCode,
  };
}

describe("exec with a terminal", () => {
  test("is on one: all three streams, with a TERM, in the container's environment", async () => {
    const script = 'test -t 0 && test -t 1 && test -t 2 && echo "on a terminal, $TERM, $WHO"; env | grep -c hooklet';
    const session = await onTerminal("/bin/sh", "-c", script);
    expect(await session.exitCode).toBe(1);
    expect(session.text()).toContain("on a terminal, xterm, the container's\n0\n");
  });

  test("hands the command's exit code on, and its words to the letter", async () => {
    const words = ["a b", "$(id)", "'", '"', "\\", "line\nfeed", "*", ""];
    const session = await onTerminal(
      "/bin/sh",
      "-c",
      'for word; do printf "<%s>" "$word"; done; exit 7',
      "sh",
      ...words,
    );
    expect(await session.exitCode).toBe(7);
    expect(session.text()).toContain(words.map((word) => `<${word}>`).join(""));
  });

  test("has a name in the container: tty(1) prints it, and what is written to it comes out", async () => {
    const session = await onTerminal("/bin/sh", "-c", "tty && ls -l $(tty) >/dev/null && echo through >$(tty)");
    expect(await session.exitCode).toBe(0);
    expect(session.text()).toMatch(/^\/dev\/pts\/\d+\nthrough\n$/);
  });

  test("echoes what is typed, and Ctrl-C interrupts what runs in front", async () => {
    const session = await onTerminal("/bin/sh");
    session.type("echo fine-$((40 + 2))\n");
    await until("the shell should answer", () => session.text().includes("fine-42"));
    expect(session.text()).toContain("echo fine-$((40 + 2))");
    const sleep = `sleep\0${3_000_000 + process.pid}`;
    session.type(`${sleep.replace("\0", " ")}\n`);
    await until("it should run", () => findByCommand(sleep).length === 1);
    session.type("\u0003");
    await until("it should be interrupted", () => findByCommand(sleep).length === 0);
    session.type("echo code-$?\n");
    await until("the shell should say so", () => session.text().includes("code-130"));
    session.type("exit 3\n");
    expect(await session.exitCode).toBe(3);
  });

  test("is as large as the reader's, and grows with it", async () => {
    const session = await withoutSize("/bin/sh", "-c", "stty size; exec sh");
    session.resize(101, 33);
    await until("its first command should see the size", () => session.text().includes("\n"));
    expect(session.text()).toMatch(/^33 101\n/);
    session.resize(120, 40);
    await until("the new size should come", () => {
      session.type("stty size\n");
      return session.text().includes("40 120");
    });
    session.type("exit\n");
    await session.exitCode;
  });

  test("begins without a size where its reader sends none", async () => {
    const session = await withoutSize("/bin/sh", "-c", "stty size");
    expect(await session.exitCode).toBe(0);
    expect(session.text()).toBe("0 0\n");
  });

  test("leaves nothing behind when its reader hangs up", async () => {
    const seconds = String(2_000_000 + process.pid);
    const session = await onTerminal("/bin/sh", "-c", `trap '' HUP; sleep ${seconds} & sleep ${seconds}`);
    await until("it should run", () => findByCommand(`sleep\0${seconds}`).length === 2);
    session.abort();
    await session.exitCode;
    await until("all of it should be gone", () => findByCommand(seconds).length === 0);
  });
});

describe("a port of a pod", () => {
  test("is reached, and one without a listener is an error", async () => {
    const server = createServer((socket) => socket.end("hello"));
    const port = await new Promise<number>((resolve) =>
      server.listen(0, "127.0.0.1", () => resolve((server.address() as { port: number }).port)),
    );
    const [sandbox] = await node.runtime.listSandboxes();
    const stream = await node.runtime.portForward(sandbox?.id ?? "", port);
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    expect(Buffer.concat(chunks).toString()).toBe("hello");
    await new Promise((resolve) => server.close(resolve));
    await expect(node.runtime.portForward(sandbox?.id ?? "", port)).rejects.toThrow(`port ${port} of the pod`);
  });
});
