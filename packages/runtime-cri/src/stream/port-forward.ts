/** One connection to a port inside a pod: the CRI's PortForward over the runtime's streaming server. */
import { Duplex, Readable } from "node:stream";
import type { Clock } from "@hooklet/core";
import { RuntimeError } from "@hooklet/core/host";
import { connect, opening } from "./stream-connection.js";

/** Characters of what the runtime says about a port: it is one line. */
const LONGEST = 4096;

export async function forwardedPort(url: string, port: number, clock: Clock): Promise<Duplex> {
  const connection = await connect(url, "portforward.k8s.io", clock);
  const headers = { port: String(port), requestID: "0" };
  const [errors, data] = await opening(
    connection,
    async () =>
      [
        await connection.open({ streamType: "error", ...headers }),
        await connection.open({ streamType: "data", ...headers }),
      ] as const,
  );
  // Nothing is ever written to it, and the server waits for its end.
  errors.end();
  const verdict = textOf(errors);
  // Read when the data has ended; a broken connection ends the data too.
  verdict.catch(() => undefined);
  /** What the port says, then why it ended if it did not end well. */
  async function* answers(): AsyncGenerator<Buffer> {
    // The other direction may go on.
    yield* data.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
    const text = await verdict;
    if (text !== "") throw new RuntimeError("unavailable", `port ${port}: ${text}`);
  }
  const whole = Duplex.from({ readable: Readable.from(answers()), writable: data });
  whole.once("close", () => connection.close());
  return whole;
}

async function textOf(stream: Duplex): Promise<string> {
  let text = "";
  for await (const chunk of stream) text = (text + String(chunk)).slice(0, LONGEST);
  return text.trim();
}
