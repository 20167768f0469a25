/** The kubelet's server over a fake agent: real TLS, a client that it accepts. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import type { NodeServerConfig } from "@hooklet/core/host";
import { systemClock } from "@hooklet/utils";
import { pino } from "pino";
import { bindServers } from "../../../src/servers.js";
import type { FakeAgent } from "../../fake-agent.js";
import { onFreePorts, temporaryFolder } from "../../start.js";
import { authorityAndClient, type Pair } from "./certificates.js";

export interface NodeServerSettings {
  readonly mode?: "Webhook" | "AlwaysAllow";
  readonly anonymous?: boolean;
  /** Seconds. */
  readonly idle?: number;
}

export interface NodeServer {
  readonly url: string;
  /** Of a client that the authority signed. */
  readonly credentials: Pair & { readonly rejectUnauthorized: false };
  /** Of the same name, and signed by himself. */
  readonly stranger: Pair;
  /** The agent's root directory. */
  readonly folder: string;
  stop(): Promise<void>;
}

/** Listens and says that the agent starts, until `serve`. */
export async function bindNodeServer({
  mode = "AlwaysAllow",
  anonymous = false,
  idle = 4 * 3600,
}: NodeServerSettings = {}): Promise<NodeServer & { serve(api: FakeAgent): Promise<void>; handOver(): Promise<void> }> {
  const folder = await temporaryFolder();
  const { ca, client, stranger } = await authorityAndClient();
  const clientCAFile = path.join(folder, "ca.crt");
  writeFileSync(clientCAFile, ca);
  const configOf = (port: number): NodeServerConfig => ({
    address: "127.0.0.1",
    port,
    streamingConnectionIdleTimeout: idle,
    authentication: {
      anonymous: { enabled: anonymous },
      webhook: { enabled: true, cacheTTL: 120 },
      x509: { clientCAFile },
    },
    authorization: { mode, webhook: { cacheAuthorizedTTL: 300, cacheUnauthorizedTTL: 30 } },
  });
  const { servers, port } = await onFreePorts(async ({ port }) => ({
    servers: await bindServers({
      socket: path.join(folder, "hooklet.sock"),
      port: 0,
      clock: systemClock,
      node: { config: configOf(port), rootDir: folder, nodeName: "node1", nodeIp: "127.0.0.1" },
    }),
    port,
  }));
  const credentials = { ...client, rejectUnauthorized: false } as const;
  return {
    url: `https://127.0.0.1:${port}`,
    credentials,
    stranger,
    folder,
    serve: async (api) => (await servers.prepare(api, pino({ level: "silent" })))(),
    handOver: () => servers.handOver(),
    stop: () => servers.stop(),
  };
}

export async function startNodeServer(api: FakeAgent, settings?: NodeServerSettings): Promise<NodeServer> {
  const server = await bindNodeServer(settings);
  try {
    await server.serve(api);
  } catch (error) {
    await server.stop();
    throw error;
  }
  return server;
}
