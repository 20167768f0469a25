/** What comes in over a listener of the agent: requests, and on the control socket sessions of exec and port-forward. */
import type { NetConnectOpts } from "node:net";
import type { OpenTarget, Target } from "../target.js";
import { exchange } from "./exchange.js";
import { openWorld, type World } from "./world.js";

/** Thousands of requests may come in one input. */
const COST = { milliseconds: 200, nanosecondsPerByte: 10_000 };
/** Inputs after which the agent is a new one: what pods were applied shall not pile up. */
const LIFE = 2_000;
/** Inputs between two steps of virtual time, in which what was asked for happens. */
const STEP = 20;

export function listenerTarget(
  name: string,
  seeds: () => readonly Uint8Array[],
  where: (world: World) => NetConnectOpts,
): Target {
  return { name, weight: 6, cost: COST, seeds, open: () => openListener(where) };
}

async function openListener(where: (world: World) => NetConnectOpts): Promise<OpenTarget> {
  let world = await openWorld();
  let done = 0;
  return {
    async run(input) {
      if (done > 0 && done % LIFE === 0) {
        await world.close();
        world = await openWorld();
      }
      if (++done % STEP === 0) await world.agent.advance(1_000);
      const answer = await exchange(where(world), input);
      const [uncaught] = world.uncaught;
      if (uncaught !== undefined) throw new Error(`uncaught in the server: ${uncaught}`);
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
      if (status === 500) throw new Error(`answered 500: ${answer.slice(0, 500)}`);
      return status < 400 ? "accepted" : "refused";
    },
    close: () => world.close(),
  };
}

export interface Request {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export function requestText({ method = "GET", path, headers = {}, body }: Request): Buffer {
  const length = body === undefined ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
  const all = { Host: "localhost", Connection: "close", ...length, ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join("")}\r\n${body ?? ""}`);
}
