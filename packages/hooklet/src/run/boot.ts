/** Configuration, agent and servers, in the order in which they need each other. */

import {
  type Agent,
  type AgentApi,
  type AgentConfig,
  type PodSource,
  type Runtime,
  startAgent,
} from "@hooklet/core/host";
import { type BoundServers, bindServers } from "@hooklet/server";
import { manifestFolder, manifestUrl } from "@hooklet/source-manifest";
import type { Clock } from "@hooklet/utils";
import type { Logger } from "pino";
import type { AgentContext } from "../agent-context.js";
import { withPlaces } from "./boot-config.js";

export interface Booted {
  readonly agent: Agent;
  readonly servers: BoundServers;
  readonly config: AgentConfig;
  /** Kills every container, whatever grace period it is in. */
  killAll(): Promise<void>;
}

export interface BootParts {
  readonly config: AgentConfig;
  readonly log: Logger;
  /** Handed over by the agent before. */
  readonly former: BoundServers | undefined;
  reload(): Promise<void>;
  /** The agent can handle uncaught errors; it is not up yet. */
  living(agent: Pick<Agent, "uncaught">): void;
}

/** Rejects with nothing left behind. */
export async function bootAgent(
  { io, version }: AgentContext,
  { config, log, former, reload, living }: BootParts,
): Promise<Booted> {
  const { clock } = io;
  const { rootDir, node } = config;
  let servers = former;
  try {
    const runtimeLog = log.child({ runtime: config.runtime.specifier });
    const runtime = config.runtime.factory.create(
      { clock, log: runtimeLog, rootDir, nodeName: node.name, ...(node.ip !== undefined && { nodeIp: node.ip }) },
      config.runtime.options,
    );
    const sources = configSources(config, clock);
    const beforeStart = async (starting: Pick<Agent, "uncaught">): Promise<void> => {
      living(starting);
      servers = await bindServers({ ...endpoints(config), ...nodeServer(config), clock }, former);
    };
    const prepareServing = (api: AgentApi): Promise<() => void> => (servers as BoundServers).prepare(api, log);
    const agent = await withPlaces(
      config,
      startAgent({ config, version, clock, log, runtime, sources, beforeStart, prepareServing, reload }),
    );
    return { agent, servers: servers as BoundServers, config, killAll: () => killAll(runtime) };
  } catch (error) {
    await servers?.stop();
    throw error;
  }
}

function endpoints({ socket, port, healthz, readOnlyPort, readOnlySocket, sudoUid }: AgentConfig) {
  const further = { ...(healthz !== undefined && { healthz }), ...(readOnlySocket !== null && { readOnlySocket }) };
  return { socket, port, readOnlyPort, ...further, ...(sudoUid !== undefined && { sudoUid }) };
}

/** The kubelet's server. */
function nodeServer({ server, rootDir, node }: AgentConfig) {
  if (server === undefined) return {};
  return { node: { config: server, rootDir, nodeName: node.name, ...(node.ip !== undefined && { nodeIp: node.ip }) } };
}

async function killAll(runtime: Runtime): Promise<void> {
  const running = (await runtime.listContainers()).filter(({ state }) => state === "CONTAINER_RUNNING");
  await Promise.all(running.map(({ id }) => runtime.stopContainer(id, 0)));
}

/** The sources that the configuration names; that of the control socket is the agent's own. */
function configSources({ sources, node }: AgentConfig, clock: Clock): readonly PodSource[] {
  const { manifests, manifestUrl: url, manifestUrlHeader: headers, fileCheckFrequency, httpCheckFrequency } = sources;
  const nodeName = node.name;
  return [
    ...(manifests === null ? [] : [manifestFolder({ path: manifests, nodeName, fileCheckFrequency, clock })]),
    ...(url === null ? [] : [manifestUrl({ url, headers, nodeName, httpCheckFrequency, clock })]),
  ];
}
