/** Configuration, agent and servers, in the order in which they need each other. */

import type { AgentConfig, Runtime } from "@hooklet/core/host";
import { type Agent, closeInheritedDescriptors, startAgent } from "@hooklet/core/host";
import { type Servers, startServers } from "@hooklet/server";
import type { Logger } from "pino";
import type { Context } from "../context.js";
import { type BootOptions, contextConfig } from "./boot-config.js";
import { configSources } from "./config-sources.js";

export interface Booted {
  readonly agent: Agent;
  readonly servers: Servers;
  readonly config: AgentConfig;
  /** Kills every container, whatever grace period it is in. */
  killAll(): Promise<void>;
}

/** Rejects with nothing left behind. @throws ConfigFaultsError with all faults of the configuration */
export async function bootAgent(
  context: Context,
  options: BootOptions,
  port: number | undefined,
  log: Logger,
): Promise<Booted> {
  closeInheritedDescriptors();
  const { io, host } = context;
  const config = await contextConfig(context, options, port);
  const { clock } = io;
  const { rootDir, node } = config;
  const runtimeLog = log.child({ runtime: config.runtime.specifier });
  const runtime = config.runtime.factory.create(
    { clock, log: runtimeLog, rootDir, nodeName: node.name },
    config.runtime.options,
  );
  const sources = configSources(config, clock);
  const agent = await startAgent({ config, version: host.version, clock, log, runtime, sources });
  try {
    const servers = await startServers({ api: agent.api, socket: config.socket, port: config.port, clock, log });
    return { agent, servers, config, killAll: () => killAll(runtime) };
  } catch (error) {
    await agent.stop();
    throw error;
  }
}

async function killAll(runtime: Runtime): Promise<void> {
  const running = (await runtime.listContainers()).filter(({ state }) => state === "CONTAINER_RUNNING");
  await Promise.all(running.map(({ id }) => runtime.stopContainer(id, 0)));
}
