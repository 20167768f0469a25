/** Forwarded connections over SPDY: for each of them the client opens two streams, one for data and one for what goes wrong. */
import type { Duplex } from "node:stream";
import { errorText } from "@hooklet/utils";
import type { TakeStream } from "./spdy-connection.js";

export const PORT_FORWARD_PROTOCOLS: readonly string[] = ["portforward.k8s.io"];

const STREAMS_OF_A_PAIR = 2;

interface Pair {
  readonly port: number;
  data?: Duplex;
  error?: Duplex;
}

type Open = (port: number) => Promise<Duplex>;

/** @param open a connection to a port of the pod; rejects with why there is none */
export function portForwarder(open: Open): TakeStream {
  const pairs = new Map<string, Pair>();
  const room = new Connections(open);
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
    void carry(port, data, error, room);
  };
}

/**
 * A client's connections to the pod, no more than it has streams open. A pair that is broken off while its connection is being made
 * leaves that connection behind for a moment; further pairs wait once such connections are as many as those in use.
 */
class Connections {
  #pairs = 0;
  #made = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(private readonly open: Open) {}

  /** Rejects with why there is none. Undefined: the client has ended the stream meanwhile. */
  async to(port: number, data: Duplex): Promise<Duplex | undefined> {
    if (!(await this.#turn(data))) return undefined;
    let end: Duplex;
    try {
      end = await this.open(port);
    } catch (error) {
      this.#closed();
      throw error;
    }
    if (end.closed) this.#closed();
    else end.once("close", () => this.#closed());
    if (!data.destroyed) return end;
    end.destroy();
    return undefined;
  }

  /** Takes a place once there is one. False: the stream has ended before. */
  async #turn(data: Duplex): Promise<boolean> {
    this.#pairs += 1;
    const gone = new Promise<void>((resolve) => {
      data.once("close", () => {
        this.#pairs -= 1;
        resolve();
      });
    });
    while (!data.destroyed && this.#made >= STREAMS_OF_A_PAIR * this.#pairs) {
      const room = new Promise<void>((resolve) => this.#waiting.push(resolve));
      await Promise.race([room, gone]);
    }
    if (data.destroyed) return false;
    this.#made += 1;
    return true;
  }

  #closed(): void {
    this.#made -= 1;
    for (const check of this.#waiting.splice(0)) check();
  }
}

async function carry(port: number, data: Duplex, error: Duplex, connections: Connections): Promise<void> {
  error.resume();
  try {
    const end = await connections.to(port, data);
    if (end !== undefined) await joined(data, end);
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
