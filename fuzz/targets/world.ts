/** An agent in virtual time behind its real listeners. */
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { startServers } from "@hooklet/server";
import { aPod, SimulatedRuntime, TestAgent, VirtualClock } from "@hooklet/testkit";
import { systemClock } from "@hooklet/utils";
import { pino } from "pino";

export interface World {
  readonly socket: string;
  readonly port: number;
  readonly agent: TestAgent;
  /** Uncaught errors of the server. */
  readonly uncaught: readonly string[];
  close(): Promise<void>;
}

export async function openWorld(): Promise<World> {
  const folder = mkdtempSync(path.join(tmpdir(), "hooklet-fuzz-"));
  const clock = new VirtualClock();
  const runtime = new SimulatedRuntime({ clock, writeLogs: true });
  const agent = await TestAgent.make({ clock, runtime, rootDir: path.join(folder, "root") });
  await agent.start();
  for (const name of ["web", "db"]) await agent.apply(aPod({ name }));
  await agent.advance(5_000);
  const uncaught: string[] = [];
  const log = pino({ level: "error" }, { write: (line: string) => void uncaught.push(line) });
  const socket = path.join(folder, "s");
  const port = await freePort();
  const servers = await startServers({ api: agent.api, clock: systemClock, log, socket, port });
  return {
    socket,
    port,
    agent,
    uncaught,
    async close() {
      await servers.stop();
      await agent.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  const server = createServer();
  return new Promise((resolve) =>
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    }),
  );
}
