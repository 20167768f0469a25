/** What answers a gRPC probe: any container, in frames of HTTP/2. */
import { grpcProbe } from "@hooklet/plugin-probe/internal";
import type { Target } from "../target.js";
import { openAnswering, probeOutcome } from "./answering.js";

const Frame = { data: 0, headers: 1, reset: 3, settings: 4, ping: 6, goAway: 7 } as const;
const END_STREAM = 1;
const END_HEADERS = 4;

function frame(type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** HPACK, each field written out. */
function fields(...pairs: readonly (readonly [string, string])[]): Buffer {
  const text = (one: string): Buffer => Buffer.concat([Buffer.of(one.length), Buffer.from(one)]);
  return Buffer.concat(pairs.flatMap(([name, value]) => [Buffer.of(0), text(name), text(value)]));
}

const settings = Buffer.concat([frame(Frame.settings, 0, 0), frame(Frame.settings, 1, 0)]);
const begin = frame(Frame.headers, END_HEADERS, 1, fields([":status", "200"], ["content-type", "application/grpc"]));
const end = (...more: readonly (readonly [string, string])[]): Buffer =>
  frame(Frame.headers, END_HEADERS | END_STREAM, 1, fields(...more));
const serving = frame(Frame.data, 0, 1, Buffer.of(0, 0, 0, 0, 2, 8, 1));

/** Bytes before the first frame of a client. */
const PREFACE = 24;

function hasRequest(received: Buffer): boolean {
  for (let at = PREFACE; at + 9 <= received.length; at += 9 + received.readUIntBE(at, 3)) {
    if (received[at + 3] === Frame.headers) return true;
  }
  return false;
}

export const grpcProbes: Target = {
  name: "gRPC probe answers",
  weight: 3,
  // plugin-probe/src/handlers/apart.ts.
  mayEndWith: /~Http2Session[\s\S]*current_nghttp2_memory_/,
  cost: { milliseconds: 150, nanosecondsPerByte: 10_000 },
  seeds: () => [
    Buffer.concat([begin, serving, end(["grpc-status", "0"])]),
    Buffer.concat([begin, end(["grpc-status", "12"], ["grpc-message", "unknown%20service"])]),
    Buffer.concat([frame(Frame.goAway, 0, 0, Buffer.alloc(8))]),
    Buffer.concat([frame(Frame.ping, 0, 0, Buffer.alloc(8)), frame(Frame.reset, 0, 1, Buffer.alloc(4))]),
  ],
  async open() {
    const server = await openAnswering(settings, hasRequest);
    return {
      async run(input) {
        server.answer(input);
        const request = { host: "127.0.0.1", port: server.port, service: "", timeoutMilliseconds: 50, tls: false };
        return probeOutcome(await grpcProbe(server.clock, request));
      },
      close: () => server.close(),
    };
  },
};
