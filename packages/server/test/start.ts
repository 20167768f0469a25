/** Servers over a fake agent on a real socket, ended after each test. */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AgentClient } from "@hooklet/cli/client";
import { isNodeAgentError, systemClock } from "@hooklet/utils";
import { afterEach } from "@jest/globals";
import { pino } from "pino";
import { startServers } from "../src/servers.js";
import { FakeAgent } from "./fake-agent.js";

const endings: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

export async function temporaryFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "hk-server-"));
  endings.push(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, "127.0.0.1", resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}

export interface Started {
  readonly api: FakeAgent;
  readonly client: AgentClient;
  readonly socket: string;
  /** Of the port for health and metrics. */
  readonly url: string;
  /** Of the read-only port. */
  readonly readUrl: string;
  readonly readOnlySocket: string;
  stop(): Promise<void>;
}

/** Others on this machine look for free ports as well: one that was free a moment ago may be taken. */
export async function onFreePorts<T>(start: (ports: { port: number; readOnlyPort: number }) => Promise<T>): Promise<T> {
  for (let left = 5; ; left -= 1) {
    try {
      return await start({ port: await freePort(), readOnlyPort: await freePort() });
    } catch (error) {
      if (left === 0 || !isNodeAgentError(error, "CANNOT_LISTEN")) throw error;
    }
  }
}

export async function startFake(api = new FakeAgent()): Promise<Started> {
  const folder = await temporaryFolder();
  const socket = join(folder, "hooklet.sock");
  const readOnlySocket = { path: join(folder, "read.sock"), group: process.getgid?.() ?? 0 };
  const log = pino({ level: "silent" });
  const { servers, port, readOnlyPort } = await onFreePorts(async (ports) => ({
    servers: await startServers({ api, socket, readOnlySocket, clock: systemClock, log, ...ports }),
    ...ports,
  }));
  const client = new AgentClient(socket);
  endings.push(() => servers.stop());
  endings.push(() => client.close());
  return {
    api,
    client,
    socket,
    readOnlySocket: readOnlySocket.path,
    url: `http://127.0.0.1:${port}`,
    readUrl: `http://127.0.0.1:${readOnlyPort}`,
    stop: () => servers.stop(),
  };
}
