/** A server that gives the configured answer to any request. */
import { type AddressInfo, createServer, type Socket } from "node:net";
import type { Attempt } from "@hooklet/plugin-probe";
import { type Clock, systemClock } from "@hooklet/utils";
import type { Outcome } from "../target.js";

export interface Answering {
  readonly port: number;
  readonly clock: Clock;
  answer(bytes: Buffer): void;
  close(): Promise<void>;
}

/**
 * `greeting` is said at once; `isAsked`: whether what came so far is a question, default: nothing needs to come.
 */
export async function openAnswering(
  greeting = Buffer.alloc(0),
  isAsked: (received: Buffer) => boolean = () => true,
): Promise<Answering> {
  let answer: Buffer = Buffer.alloc(0);
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on("close", () => open.delete(socket));
    // The prober may hang up at any time.
    socket.on("error", () => socket.destroy());
    let received = Buffer.alloc(0);
    let said = false;
    const listen = (data: Buffer): void => {
      received = Buffer.concat([received, data]).subarray(0, MOST_HEARD);
      if (said || !isAsked(received)) return;
      said = true;
      socket.end(answer);
    };
    socket.on("data", listen);
    socket.write(greeting);
    listen(Buffer.alloc(0));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    clock: systemClock,
    answer(bytes) {
      answer = bytes;
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** Bytes of a request that are read. */
const MOST_HEARD = 64 * 1024;
/** Bytes of output that a probe keeps, and some for its own words. */
const MOST_OUTPUT = 12 * 1024;

export function probeOutcome({ result, output }: Attempt): Outcome {
  if (!["success", "failure", "warning", "unknown"].includes(result)) throw new Error(`a result ${result}`);
  if (Buffer.byteLength(output) > MOST_OUTPUT) throw new Error(`an output of ${Buffer.byteLength(output)} bytes`);
  return result === "success" ? "accepted" : "refused";
}
