/** Configuration, agent and servers, in the order in which they need each other. */
import type { Logger } from "pino";
import { type Agent, startAgent } from "../../agent/agent.js";
import { loadConfig } from "../../config/load-config.js";
import type { AgentConfig } from "../../config/types.js";
import { startServers, type Servers } from "../../server/servers.js";
import type { Context } from "../context.js";
import { configSources } from "./config-sources.js";

export interface BootOptions {
  readonly config?: string;
  readonly manifests?: string;
  readonly runtime?: string;
  readonly nodeName?: string;
}

export interface Booted {
  readonly agent: Agent;
  readonly servers: Servers;
  readonly config: AgentConfig;
}

/** Rejects with nothing left behind. @throws ConfigFaultsError with all faults of the configuration */
export async function bootAgent(context: Context, options: BootOptions, port: number | undefined, log: Logger): Promise<Booted> {
  const { io, host } = context;
  const config = await contextConfig(context, options, port);
  const { clock } = io;
  const { rootDir, node } = config;
  const runtimeLog = log.child({ runtime: config.runtime.specifier });
  const runtime = config.runtime.factory.create(
    { clock, log: runtimeLog, rootDir, nodeName: node.name },
    config.runtime.options,
  );
  const sources = configSources(config, clock, log);
  const agent = await startAgent({ config, version: host.version, clock, log, runtime, sources });
  try {
    const servers = await startServers({ api: agent.api, socket: config.socket, port: config.port, clock, log });
    return { agent, servers, config };
  } catch (error) {
    await agent.stop();
    throw error;
  }
}

/** The configuration that `hooklet run` with these options has. */
export function contextConfig({ io, host, global }: Context, options: BootOptions, port?: number): Promise<AgentConfig> {
  const flags = { ...options, ...global, ...(port === undefined ? {} : { port }) };
  const known = ["config", "manifests", "runtime", "rootDir", "socket", "nodeName", "port"] as const;
  return loadConfig({
    hooklet: host.url,
    flags: Object.fromEntries(known.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]]))),
    cwd: io.cwd(),
    env: io.env,
  });
}
