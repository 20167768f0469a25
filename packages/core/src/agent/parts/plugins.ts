/** The plugins, and what they share. */
import type { Clock } from "@hooklet/utils";
import type { AgentConfig } from "../../config/agent-config.js";
import type { ObjectsPort, World } from "../../plugin/contract.js";
import { PluginHost } from "../../plugin/plugin-host.js";
import type { ProviderRegistry } from "../../plugin/providers.js";
import type { Cleanup } from "../cleanup.js";
import { createPluginRuntime, podsFor } from "../plugin-ports.js";
import type { SourceList } from "../source-list.js";
import type { PodsPart } from "./pods.js";
import type { RuntimePart } from "./runtime.js";
import type { State } from "./state.js";
import type { Telemetry } from "./telemetry.js";

/** What `hooklet get` shows without any plugin. `images` is not among them: a plugin may know more of them than core does. */
const RESERVED_VIEWS = ["pods", "pod", "plugins", "node", "nodes", "events"];

/** Starts the plugins; they are opened once it is known what runs. */
export async function pluginsPart(
  needs: {
    readonly clock: Clock;
    readonly config: AgentConfig;
    readonly providers: ProviderRegistry;
    readonly objects: ObjectsPort;
    readonly world: World;
    readonly sourceList: SourceList;
    readonly state: State;
    readonly telemetry: Telemetry;
    onTimerError(plugin: string, error: unknown): void;
  } & Pick<RuntimePart, "nodePorts" | "host"> &
    PodsPart,
  cleanup: Cleanup,
): Promise<PluginHost> {
  const { clock, config, providers, sourceList, state, telemetry, guard, nodePorts, ports } = needs;
  const { log, events, decisions, registries, report } = telemetry;
  const host = new PluginHost({
    guard,
    clock,
    log,
    runtime: createPluginRuntime({
      runtime: needs.protectedRuntime,
      leases: ports.images.leases,
      host: needs.host,
      clock,
      rootDir: state.rootDir,
      podLogsDir: ports.podLogsDir,
    }),
    node: (plugin) => nodePorts.port(plugin),
    objects: needs.objects,
    host: needs.host,
    world: needs.world,
    events,
    metrics: registries,
    reservedViews: RESERVED_VIEWS,
    decisions: (plugin) => decisions.forPlugin(plugin),
    checkpoint: (plugin, name) => state.pluginCheckpoint(plugin, name),
    pods: (plugin) =>
      podsFor(plugin, { ...needs, volumes: ports.volumes, sourcesReady: () => sourceList.isReady(), report }),
    addSource: (plugin, source) => sourceList.addFor(plugin, source),
    provide: (plugin) => providers.forPlugin(plugin),
    onTimerError: needs.onTimerError,
    onError: (error) => report(`plugin ${error.plugin}`, error),
  });
  cleanup.push(async () => {
    nodePorts.statistics.close();
    await host.stop();
  });
  await host.start(config.plugins);
  return host;
}
