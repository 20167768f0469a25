/** ExecSync on runtimes of every kind of manners: what it costs, and what the caller hears. */
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VirtualClock } from "@hooklet/testkit";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { GrpcClient } from "../../../src/grpc-client.js";
import { openRuntime } from "../../containerd.js";

let folder: string;
let server: Http2Server;
let answer: (stream: ServerHttp2Stream, headers: Readonly<Record<string, unknown>>) => void;
const sessions = new Set<ServerHttp2Session>();

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "hooklet-exec-sync-"));
  server = createServer();
  server.on("session", (session) => {
    sessions.add(session);
    session.on("error", () => undefined).once("close", () => sessions.delete(session));
  });
  server.on("stream", (stream, headers) => {
    stream.on("error", () => undefined);
    answer(stream, headers);
  });
  server.listen(join(folder, "s"));
  await once(server, "listening");
});

afterEach(async () => {
  for (const session of sessions) session.destroy();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

const endpoint = (): string => `unix://${join(folder, "s")}`;
const GRPC = { ":status": 200, "content-type": "application/grpc" };
const execSync = (seconds = 10) => openRuntime(endpoint(), folder).execSync("c1", ["true"], seconds);

function saying(...parts: readonly Buffer[]): typeof answer {
  return (stream) => {
    stream.respond(GRPC, { waitForTrailers: true });
    stream.on("wantTrailers", () => stream.sendTrailers({ "grpc-status": "0" }));
    for (const part of parts) stream.write(part);
    stream.end();
  };
}

function prefix(length: number): Buffer {
  const made = Buffer.alloc(5);
  made.writeUInt32BE(length, 1);
  return made;
}

/** `stdout` of so many bytes, and exit code 3. */
function output(size: number): readonly Buffer[] {
  const length: number[] = [];
  for (let left = size; ; left >>>= 7) {
    length.push(left < 0x80 ? left : (left & 0x7f) | 0x80);
    if (left < 0x80) break;
  }
  const pieces = Array.from({ length: Math.ceil(size / 65_536) }, (_, i) =>
    Buffer.alloc(Math.min(65_536, size - i * 65_536), "x"),
  );
  return [prefix(1 + length.length + size + 2), Buffer.from([0x0a, ...length]), ...pieces, Buffer.from([0x18, 3])];
}

test("of 15 MB of output the first 10 KiB come, with the exit code", async () => {
  answer = saying(...output(15_000_000));
  const { stdout, stderr, exitCode } = await execSync();
  expect([stdout.length, stderr.length, exitCode]).toEqual([10 * 1024, 0, 3]);
  expect(stdout.buffer.byteLength).toBeLessThanOrEqual(64 * 1024);
});

test("an answer beyond 16 MiB is refused as the kubelet refuses it, and no more of it is taken", async () => {
  let sent = 0;
  answer = (stream) => {
    stream.respond(GRPC);
    const [first, second] = output(20_000_000) as [Buffer, Buffer];
    stream.write(Buffer.concat([first, second]));
    const more = (): void => {
      while (!stream.destroyed && sent < 20_000_000) {
        sent += 65_536;
        if (!stream.write(Buffer.alloc(65_536))) return void stream.once("drain", more);
      }
    };
    more();
  };
  await expect(execSync()).rejects.toThrow("grpc: received message larger than max (20000007 vs. 16777216)");
  expect(sent).toBeLessThan(2_000_000);
});

test("the request is the CRI's, with its timeout", async () => {
  let path: unknown;
  let timeout: unknown;
  const body: Buffer[] = [];
  answer = (stream, headers) => {
    [path, timeout] = [headers[":path"], headers["grpc-timeout"]];
    stream.on("data", (chunk: Buffer) => body.push(chunk));
    stream.on("end", () => saying(prefix(0))(stream, headers));
  };
  expect(await execSync(10)).toEqual({ stdout: Buffer.alloc(0), stderr: Buffer.alloc(0), exitCode: 0 });
  expect([path, timeout]).toEqual(["/runtime.v1.RuntimeService/ExecSync", "15000m"]);
  expect(Buffer.concat(body).subarray(5).toString("latin1")).toBe("\n\x02c1\x12\x04true\x18\x0a");
});

test.each([
  { status: "5", message: "no such container%3A c1", code: "not-found", text: "no such container: c1" },
  { status: "4", message: "took too long", code: "deadline-exceeded", text: "took too long" },
  { status: "2", message: "100%25 %C3%A4", code: "unknown", text: "100% ä" },
])("status $status is the error $code with the runtime's words", async ({ status, message, code, text }) => {
  answer = (stream) => stream.respond({ ...GRPC, "grpc-status": status, "grpc-message": message }, { endStream: true });
  await expect(execSync()).rejects.toMatchObject({ code, message: text });
});

test("a runtime that hangs up before its answer is whole is one that is away", async () => {
  answer = (stream) => {
    stream.respond(GRPC);
    stream.write(Buffer.concat(output(1_000)).subarray(0, 100), () => stream.session?.destroy());
  };
  await expect(execSync()).rejects.toMatchObject({ code: "unavailable" });
  answer = (stream) => stream.session?.destroy();
  await expect(execSync()).rejects.toMatchObject({ code: "unavailable" });
});

test("a runtime that is not there is away, and its socket is named", async () => {
  const away = openRuntime(`unix://${join(folder, "none")}`, folder);
  await expect(away.execSync("c1", ["true"], 10)).rejects.toMatchObject({
    code: "unavailable",
    message: expect.stringMatching(/No connection established.*ENOENT.*none/),
  });
});

test("a runtime that never answers costs the timeout, and the call is cancelled there", async () => {
  const clock = new VirtualClock();
  const client = new GrpcClient(endpoint(), clock);
  let cancelled: Promise<unknown> | undefined;
  const asked = new Promise<void>((resolve) => {
    answer = (stream) => {
      stream.respond(GRPC);
      cancelled = once(stream, "close");
      resolve();
    };
  });
  const call = client.execSync({ containerId: "c1", cmd: ["true"], timeout: 1 }, 6_000);
  const failed = expect(call).rejects.toMatchObject({
    codeName: "DeadlineExceeded",
    details: "context deadline exceeded",
  });
  await asked;
  await clock.advance(6_000);
  await failed;
  await cancelled;
  client.close();
});

test("300 calls at once share one connection, and all are under way together", async () => {
  const waiting: Parameters<typeof answer>[] = [];
  const asked = new Promise<void>((resolve) => {
    answer = (...call) => {
      waiting.push(call);
      if (waiting.length === 300) resolve();
    };
  });
  const client = new GrpcClient(endpoint(), new VirtualClock());
  const request = { containerId: "c1", cmd: ["true"], timeout: 0 };
  const calls = Array.from({ length: 300 }, () => client.execSync(request, 1_000));
  await asked;
  expect(sessions.size).toBe(1);
  for (const call of waiting) saying(...output(10))(...call);
  expect(new Set((await Promise.all(calls)).map(({ exitCode }) => exitCode))).toEqual(new Set([3]));
  client.close();
});

test("a client that is closed ends the calls that are under way", async () => {
  const client = new GrpcClient(endpoint(), new VirtualClock());
  answer = () => client.close();
  await expect(client.execSync({ containerId: "c1", cmd: [], timeout: 0 }, 1_000)).rejects.toMatchObject({
    details: "Connection dropped",
  });
});
