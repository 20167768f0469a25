/** The control socket: all that `hooklet` asks of an agent, sessions over websockets too. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { listenerTarget, requestText } from "./listener.js";
import { ROOT } from "./seeds.js";

const pod = readFileSync(path.join(ROOT, "fuzz/seeds/many-fields.yaml"), "utf8");
const json = { "Content-Type": "application/json" };

const upgrade = (path: string, ...messages: readonly Uint8Array[]): Buffer =>
  Buffer.concat([
    requestText({
      path,
      headers: {
        Connection: "Upgrade",
        Upgrade: "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        "Sec-WebSocket-Protocol": "v5.channel.k8s.io, v4.channel.k8s.io",
      },
    }),
    ...messages.map(frame),
  ]);

/** A binary message of a client: masked with zeros, which leave it as it is. */
function frame(message: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(0x82, 0x80 | message.length, 0, 0, 0, 0), message]);
}

const SEEDS = [
  requestText({ path: "/version" }),
  requestText({ path: "/pods?watch=true" }),
  requestText({ path: "/pods/default/web" }),
  requestText({ path: "/node" }),
  requestText({ path: "/views" }),
  requestText({ path: "/view?name=pods" }),
  requestText({ path: "/images" }),
  requestText({ path: "/events?follow=true&pod=web&namespace=default&since=1" }),
  requestText({ path: "/containerLogs/default/web/main?tailLines=10&follow=false&sinceSeconds=5&timestamps=true" }),
  requestText({ method: "POST", path: "/apply", headers: { "Content-Type": "application/yaml" }, body: pod }),
  requestText({ method: "DELETE", path: "/pods/default/web?gracePeriodSeconds=1" }),
  requestText({ method: "DELETE", path: "/images?name=web:1" }),
  requestText({
    method: "POST",
    path: "/plan",
    headers: json,
    body: JSON.stringify({ plugin: "imagegc", arguments: { until: "70" } }),
  }),
  requestText({
    method: "POST",
    path: "/plugins/switch",
    headers: json,
    body: JSON.stringify({ name: "probe", active: false }),
  }),
  upgrade(
    "/exec/default/web/main?command=sh&command=-c&command=id&input=true&output=true&error=true&tty=true",
    Buffer.from("\0echo hi\n"),
    Buffer.from('\x04{"Width":80,"Height":24}'),
    Buffer.of(255, 0),
  ),
  upgrade(
    "/portForward/default/web?port=80",
    Buffer.of(0, 80, 0),
    Buffer.of(1, 80, 0),
    Buffer.from("\0GET / HTTP/1.0\r\n\r\n"),
  ),
];

export const control = listenerTarget(
  "control socket",
  () => SEEDS,
  ({ socket }) => ({ path: socket }),
);
