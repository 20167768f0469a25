/** Forwarded connections over SPDY: for each of them the client opens two streams, one for data and one for what goes wrong. */
import type { Duplex } from "node:stream";
import { errorText } from "@hooklet/core/base";
import type { TakeStream } from "./connection.js";

export const PORT_FORWARD_PROTOCOLS: readonly string[] = ["portforward.k8s.io"];

interface Pair {
  readonly port: number;
  data?: Duplex;
  error?: Duplex;
}

/** @param open a connection to a port of the pod; rejects with why there is none */
export function portForwarder(open: (port: number) => Promise<Duplex>): TakeStream {
  const pairs = new Map<string, Pair>();
  return (headers, stream) => {
    const kind = headers.get("streamtype");
    const port = Number(headers.get("port"));
    const id = headers.get("requestid") ?? String(port);
    const pair = pairs.get(id) ?? { port };
    const isPort = Number.isInteger(port) && port >= 1 && port <= 65_535;
    if (!isPort || pair.port !== port || (kind !== "data" && kind !== "error") || pair[kind] !== undefined) {
      stream.destroy();
      return;
    }
    pair[kind] = stream;
    pairs.set(id, pair);
    // Half a pair goes with its stream.
    stream.once("close", () => {
      if (pairs.get(id) === pair) pairs.delete(id);
    });
    const { data, error } = pair;
    if (data === undefined || error === undefined) return;
    pairs.delete(id);
    void carry(port, data, error, open);
  };
}

async function carry(
  port: number,
  data: Duplex,
  error: Duplex,
  open: (port: number) => Promise<Duplex>,
): Promise<void> {
  error.resume();
  try {
    const end = await open(port);
    // The client may have left meanwhile.
    if (data.destroyed) end.destroy();
    else await joined(data, end);
  } catch (cause) {
    error.write(`error forwarding port ${port}: ${errorText(cause)}`);
  }
  error.end();
  data.end();
}

/** Until the pod's end is closed; each direction ends by itself. Rejects when that breaks. */
function joined(data: Duplex, end: Duplex): Promise<void> {
  return new Promise((resolve, reject) => {
    end.once("error", reject);
    end.once("close", resolve);
    data.once("close", () => end.destroy());
    data.pipe(end);
    end.pipe(data);
  });
}
