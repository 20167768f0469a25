/** An endpoint's app over a fake agent, which answers without a socket; ended after each test. */
import { createServer } from "node:http";
import { afterEach } from "@jest/globals";
import type { FastifyInstance } from "fastify";
import { pino } from "pino";
import { VirtualClock } from "../../sim/src/clock/virtual-clock.js";
import { buildApp } from "../src/app.js";
import { Audit } from "../src/audit.js";
import type { Endpoint } from "../src/endpoints.js";
import { FakeAgent } from "./fake-agent.js";
import { NOW } from "./samples.js";

const apps: FastifyInstance[] = [];

afterEach(async () => {
  for (const app of apps.splice(0)) await app.close();
});

export interface Injected {
  readonly api: FakeAgent;
  readonly clock: VirtualClock;
  readonly app: FastifyInstance;
  readonly logged: Record<string, unknown>[];
  /** Status and body; a JSON body as its value. */
  ask(
    method: "GET" | "POST" | "DELETE",
    url: string,
    body?: string | object,
    type?: string,
  ): Promise<[number, unknown]>;
}

/** What the audit has, once it has something: a client's identity is looked up in a later turn. */
export async function auditedOf({ audited }: FakeAgent): Promise<FakeAgent["audited"]> {
  while (audited.length === 0) await new Promise((resolve) => setImmediate(resolve));
  return audited;
}

export function appOf(endpoint: Endpoint): Injected {
  const [api, clock, logged] = [new FakeAgent(), new VirtualClock({ start: NOW }), [] as Record<string, unknown>[]];
  const log = pino({ base: null }, { write: (line: string) => void logged.push(JSON.parse(line)) });
  const context = { api, clock, log };
  const app = buildApp(context, {
    endpoint,
    audit: new Audit(context),
    serverFactory: (answer) => createServer(answer),
  });
  apps.push(app);
  return {
    api,
    clock,
    app,
    logged,
    ask: async (method, url, body, type) => {
      const answer = await app.inject({
        method,
        url,
        ...(body !== undefined && { body }),
        headers: { host: "localhost", ...(type !== undefined && { "content-type": type }) },
      });
      const isJson = String(answer.headers["content-type"]).startsWith("application/json");
      return [answer.statusCode, isJson ? answer.json() : answer.body];
    },
  };
}
