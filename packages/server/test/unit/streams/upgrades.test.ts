/** Requests for a stream: which are refused and how, how they are counted, and what the audit says of them. */
import type { IncomingMessage } from "node:http";
import { Duplex } from "node:stream";
import { NodeAgentError } from "@hooklet/utils";
import { expect, test } from "@jest/globals";
import { VirtualClock } from "../../../../sim/src/clock/virtual-clock.js";
import { control, nodeServer } from "../../../src/endpoints.js";
import type { ServerContext } from "../../../src/server-context.js";
import { type Admission, Upgrades } from "../../../src/streams/upgrades.js";
import { FakeAgent } from "../../fake-agent.js";
import { aPod } from "../../samples.js";

class Socket extends Duplex {
  heard = "";
  bytesRead = 0;
  bytesWritten = 0;

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.heard += chunk;
    done();
  }
}

function upgrading(endpoint: typeof control | typeof nodeServer = control) {
  const [api, clock, noted] = [new FakeAgent(), new VirtualClock(), [] as string[]];
  api.list = [aPod("web"), aPod("db-node1")];
  let admitted: Awaited<ReturnType<Admission>> = {
    status: 200,
    noted: async (what, work) => {
      noted.push(what);
      return work();
    },
  };
  const context = { api, clock } as unknown as ServerContext;
  const upgrades = new Upgrades(context, { endpoint, admit: async () => admitted });
  const ask = async (url: string, headers: Record<string, string> = {}, socket = new Socket()) => {
    await upgrades.upgrade(
      {
        method: "GET",
        url,
        headers: { upgrade: "websocket", ...headers },
        socket,
        rawHeaders: [],
      } as unknown as IncomingMessage,
      socket,
      Buffer.alloc(0),
    );
    await new Promise((resolve) => setImmediate(resolve));
    const [head = "", body = ""] = socket.heard.split("\r\n\r\n");
    return { status: head.split("\r\n")[0], head, body };
  };
  const admit = (answer: typeof admitted): void => {
    admitted = answer;
  };
  return { api, clock, noted, ask, admit, upgrades };
}

const exec = "/exec/default/web/main?command=sh&command=secret&output=1";

test.each([
  ["/nothing", "404 Not Found", "NOT_FOUND", "there is nothing to upgrade to here. This agent is hooklet 1.2.3; "],
  [
    "/exec/default/web/main?output=1",
    "400 Bad Request",
    "INVALID",
    "you must specify a command. This agent is hooklet ",
  ],
  ["/exec/default/none/uid/main?output=1&command=sh", "404 Not Found", "NOT_FOUND", ""],
  ["/exec/default/web/old/main?output=1&command=sh", "404 Not Found", "NOT_FOUND", "pod not found"],
  [
    "/attach/default/web/main?output=1",
    "501 Not Implemented",
    "UNSUPPORTED",
    "the runtime of this node does not support attach",
  ],
])(
  "%s: a person has %s as JSON, with the next step where another version may be meant",
  async (url, status, code, error) => {
    const answer = await upgrading().ask(url);
    expect(answer.status).toBe(`HTTP/1.1 ${status}`);
    expect(JSON.parse(answer.body)).toEqual({ code, error: expect.stringContaining(error) });
    expect(answer.head).toContain("\r\ncontent-type: application/json; charset=utf-8\r\n");
    expect(answer.head).toContain(`\r\ncontent-length: ${answer.body.length}\r\nconnection: close`);
    expect(answer.head).toContain("\r\nx-content-type-options: nosniff\r\ncache-control: no-store\r\n");
  },
);

test.each([
  ["/nothing", "404 Not Found", "there is nothing to upgrade to here"],
  ["/exec/default/none/main?output=1&command=sh", "404 Not Found", "pod does not exist"],
  ["/exec/default/db/main?output=1&command=sh", "404 Not Found", "pod does not exist"],
  ["/exec/default/web/old/main?output=1&command=sh", "404 Not Found", "pod not found"],
])("%s: an API server has %s as text", async (url, status, text) => {
  const { head, body } = await upgrading(nodeServer).ask(url);
  expect([head.split("\r\n")[0], body]).toEqual([`HTTP/1.1 ${status}`, text]);
  expect(head).toContain("\r\ncontent-type: text/plain; charset=utf-8\r\n");
});

test.each([401, 403, 500] as const)("who is not admitted has %d, and asks nothing of the agent", async (status) => {
  const { ask, admit, api } = upgrading(nodeServer);
  admit({ status, text: "no\n" });
  const answer = await ask(exec);
  expect([answer.status?.startsWith(`HTTP/1.1 ${status} `), answer.body]).toEqual([true, "no\n"]);
  expect([api.calls, api.requests]).toEqual([[], []]);
});

test.each([
  [exec, "exec", true],
  ["/portForward/default/web?port=80", "portForward", true],
  ["/nothing", "others", false],
  ["/exec/x", "others", false],
])("%s is counted as %s, until its connection is over", async (url, path, longRunning) => {
  const { ask, api } = upgrading();
  const socket = new Socket();
  await ask(url, { upgrade: "other" }, socket);
  expect(api.requests).toEqual([{ method: "GET", path, serverType: "readwrite", longRunning }]);
  socket.destroy();
  await new Promise((resolve) => setImmediate(resolve));
  expect(api.underWay).toBe(0);
});

test("a connection that is over already is counted, and not as under way", async () => {
  const { ask, api } = upgrading();
  const socket = new Socket();
  socket.destroy();
  const { body } = await ask("/nothing", {}, socket);
  expect([api.requests.length, api.underWay, body]).toEqual([1, 0, ""]);
});

test.each([
  [exec, {}, "expected an upgrade to SPDY/3.1 of v5.channel.k8s.io or v4.channel.k8s.io, or to a websocket"],
  [
    "/portForward/default/web?port=80",
    { "x-stream-protocol-version": "v4.channel.k8s.io" },
    "expected an upgrade to SPDY/3.1 of portforward.k8s.io, or to a websocket",
  ],
])("%s by SPDY in none of its protocols is refused with those that there are", async (url, headers, error) => {
  const { ask, api } = upgrading();
  const answer = await ask(url, { upgrade: "SPDY/3.1", ...headers });
  expect([answer.status, JSON.parse(answer.body)]).toEqual(["HTTP/1.1 403 Forbidden", { error, code: "FORBIDDEN" }]);
  expect(api.calls).toEqual([]);
});

test("a websocket in a protocol that is not known is refused, with those that are", async () => {
  const { ask } = upgrading();
  const { status, body } = await ask(exec, { "sec-websocket-protocol": "base64.channel.k8s.io, other" });
  expect(status).toBe("HTTP/1.1 400 Bad Request");
  expect(body).toContain("expected one of v5.channel.k8s.io, v4.channel.k8s.io");
});

test.each([
  ["/exec/default/web/main?command=sh&command=secret&output=1", "exec in pod default/web: sh"],
  ["/attach/default/web/main?output=1", "attach to pod default/web"],
  ["/portForward/default/web?port=80,81", "port-forward to port 80 of port 81 of pod default/web"],
  ["/portForward/default/web", "port-forward to pod default/web"],
])(
  "%s that the runtime's own server carries is audited as %j, without a command's further words",
  async (url, text) => {
    const { ask, api, noted } = upgrading(nodeServer);
    api.streamUrls = async () => "ftp://nowhere";
    const { status, body } = await ask(url);
    expect([noted, status]).toEqual([[text], "HTTP/1.1 500 Internal Server Error"]);
    expect(body).toBe('the runtime named its streaming server: expected an http or https URL, found "ftp://nowhere"');
  },
);

test("a runtime that refuses a stream is answered as what it says", async () => {
  const { ask, api, noted } = upgrading(nodeServer);
  api.streamUrls = () => Promise.reject(new NodeAgentError("NOT_RUNNING", "container not running"));
  const { status, body } = await ask(exec);
  expect([status, body, noted]).toEqual(["HTTP/1.1 409 Conflict", "container not running", []]);
});

test("a person is never handed on to the runtime's own server", async () => {
  const { ask, api } = upgrading();
  await ask(exec, { upgrade: "other" });
  expect(api.calls).toEqual([]);
});

test.each([
  [`HTTP/1.1 101 Switching Protocols`, "v4.channel.k8s.io, v5.channel.k8s.io", "v4.channel.k8s.io"],
  [`HTTP/1.1 101 Switching Protocols`, "other,v5.channel.k8s.io", "v5.channel.k8s.io"],
])("SPDY is %s in the first of the client's protocols that is known: %s", async (status, offered, chosen) => {
  const { ask } = upgrading();
  const socket = new Socket();
  const answer = await ask(exec, { upgrade: "SPDY/3.1", "x-stream-protocol-version": offered }, socket);
  expect([answer.status, answer.head.split("\r\n").slice(1)]).toEqual([
    status,
    ["Connection: Upgrade", "Upgrade: SPDY/3.1", `X-Stream-Protocol-Version: ${chosen}`],
  ]);
  socket.destroy();
});

test("a SPDY connection on which nothing moves for the idle time is broken off", async () => {
  const { ask, clock } = upgrading();
  const socket = new Socket();
  await ask(
    "/portForward/default/web?port=80",
    { upgrade: "spdy/3.1", "x-stream-protocol-version": "portforward.k8s.io" },
    socket,
  );
  await clock.advance(control.streams.idle / 2);
  socket.bytesRead += 8;
  await clock.advance(control.streams.idle - 1);
  expect(socket.destroyed).toBe(false);
  await clock.advance(control.streams.idle / 4 + 1);
  expect(socket.destroyed).toBe(true);
  await new Promise((resolve) => setImmediate(resolve));
  expect(clock.pending).toBe(0);
});
