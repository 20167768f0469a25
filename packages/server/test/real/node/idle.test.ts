/** Commands and attachments on 10250 on which nothing moves (streamingConnectionIdleTimeout). */
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { connect } from "node:tls";
import { afterEach, expect, test } from "@jest/globals";
import { FakeAgent } from "../../fake-agent.js";
import { aPod } from "../../samples.js";
import { scripted } from "../../scripted-exec.js";
import { startNodeServer } from "./start-node-server.js";

const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

const EXEC = "/exec/default/web/main?command=cat&input=1&output=1";
const WEBSOCKET = [
  "Upgrade: websocket",
  "Sec-WebSocket-Version: 13",
  "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
  "Sec-WebSocket-Protocol: v5.channel.k8s.io",
];
const SPDY = ["Upgrade: SPDY/3.1", "X-Stream-Protocol-Version: v4.channel.k8s.io"];

async function asked(headers: readonly string[], prepare: (api: FakeAgent) => void = () => undefined) {
  const api = new FakeAgent();
  api.setPods([aPod("web")]);
  api.execScript = scripted((input) => input, 0);
  prepare(api);
  const node = await startNodeServer(api, { idle: 1 });
  endings.push(() => node.stop());
  const { port, hostname: host } = new URL(node.url);
  const socket = connect({ ...node.credentials, port: Number(port), host });
  endings.push(() => socket.destroy());
  socket.on("error", () => undefined);
  const closed = once(socket, "close");
  await once(socket, "secureConnect");
  socket.write(
    `${[`${headers === SPDY ? "POST" : "GET"} ${EXEC} HTTP/1.1`, "Host: x", "Connection: Upgrade", ...headers].join("\r\n")}\r\n\r\n`,
  );
  let said = "";
  socket.on("data", (chunk) => {
    said += String(chunk);
  });
  return { closed, said: () => said };
}

test.each([
  { name: "a websocket", headers: WEBSOCKET },
  { name: "SPDY", headers: SPDY },
])("a silent command over $name is broken off", async ({ headers }) => {
  const { closed, said } = await asked(headers);
  await closed;
  expect(said()).toMatch(/^HTTP\/1\.1 101 /);
});

test("one that the runtime's own server carries is broken off at both ends", async () => {
  const theirs: Socket[] = [];
  const server = createServer((socket) => {
    theirs.push(socket.on("error", () => undefined));
    socket.write("HTTP/1.1 101 Switching Protocols\r\n\r\n");
    socket.resume();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  endings.push(() => new Promise((resolve) => server.close(resolve)));
  const { closed, said } = await asked(SPDY, (api) => {
    api.streamUrls = async () => `http://127.0.0.1:${(server.address() as AddressInfo).port}/exec/token`;
  });
  await closed;
  expect(said()).toMatch(/^HTTP\/1\.1 101 /);
  for (const socket of theirs) if (!socket.closed) await once(socket, "close");
});
