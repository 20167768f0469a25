/** The kubelet's server over a fake agent: real TLS, a client whom it lets in. */
import { writeFileSync } from "node:fs";
import path from "node:path";
import { systemClock } from "@hooklet/core/base";
import type { NodeServerConfig } from "@hooklet/core/host";
import { pino } from "pino";
import { type BoundServers, bindServers } from "../../src/servers.js";
import type { FakeAgent } from "../fake-agent.js";
import { freePort, temporaryFolder } from "../start.js";
import { authorityAndClient } from "./certificates.js";

export interface NodeServer {
  readonly url: string;
  readonly credentials: { readonly cert: string; readonly key: string; readonly rejectUnauthorized: false };
  stop(): Promise<void>;
}

/** Listens and says that the agent starts, until `serve`. */
export async function bindNodeServer(): Promise<NodeServer & Pick<BoundServers, "serve">> {
  const folder = await temporaryFolder();
  const { ca, client } = await authorityAndClient();
  const clientCAFile = path.join(folder, "ca.crt");
  writeFileSync(clientCAFile, ca);
  const config: NodeServerConfig = {
    address: "127.0.0.1",
    port: await freePort(),
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true, cacheTTL: 120 },
      x509: { clientCAFile },
    },
    authorization: { mode: "AlwaysAllow", webhook: { cacheAuthorizedTTL: 300, cacheUnauthorizedTTL: 30 } },
  };
  const servers = await bindServers({
    socket: path.join(folder, "hooklet.sock"),
    port: 0,
    clock: systemClock,
    log: pino({ level: "silent" }),
    node: { config, rootDir: folder, nodeName: "node1", nodeIp: "127.0.0.1" },
  });
  const credentials = { ...client, rejectUnauthorized: false } as const;
  return {
    url: `https://127.0.0.1:${config.port}`,
    credentials,
    serve: (api) => servers.serve(api),
    stop: () => servers.stop(),
  };
}

export async function startNodeServer(api: FakeAgent): Promise<NodeServer> {
  const server = await bindNodeServer();
  await server.serve(api);
  return server;
}
