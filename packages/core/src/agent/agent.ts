/**
 * The agent: joins its parts, in the order in which they need each other. A part is `(needs, cleanup) => part`: what it
 * starts it also registers to be stopped. Stopping the agent stops no pod; `shutdown` does.
 */

import type { Runtime } from "@hooklet/cri-api";
import { nodeHost } from "@hooklet/linux";
import { type Clock, type IdSource, randomIds } from "@hooklet/utils";
import type { VolumeCalls } from "@hooklet/volumes";
import type { Logger } from "pino";
import type { AgentConfig } from "../config/agent-config.js";
import { createHttpMetrics } from "../metrics/http-metrics.js";
import { createPodGauges } from "../metrics/pod-gauges.js";
import { Observer } from "../observe/observer.js";
import { requireOneCore } from "../one-core.js";
import { type SeamBinding, worldOf } from "../plugin/bind-seam.js";
import type { Host } from "../plugin/contract.js";
import type { PluginHost } from "../plugin/plugin-host.js";
import { ProviderRegistry } from "../plugin/providers.js";
import type { HttpGet } from "../pod/life/handlers.js";
import { askStatuses, remains } from "../pod/life/take-over.js";
import type { PodSource } from "../sources/port.js";
import { StatusHub } from "../sources/status-hub.js";
import { createApi } from "./agent-api.js";
import type { AgentApi } from "./api.js";
import { Cleanup } from "./cleanup.js";
import { configz } from "./configz.js";
import { CrashLoopGuard, createUncaughtHandler, type UncaughtKind } from "./crash-loop-guard.js";
import { createHealth } from "./health.js";
import { objectsHub } from "./objects-hub.js";
import { pluginsPart } from "./parts/plugins.js";
import { podsPart } from "./parts/pods.js";
import { refuseSharedRuntime, runtimePart } from "./parts/runtime.js";
import { ownSources, sourcesPart } from "./parts/sources.js";
import { type LockRootDir, statePart } from "./parts/state.js";
import { telemetryPart } from "./parts/telemetry.js";
import { pluginCode } from "./plugin-code.js";
import { RuntimeWatch } from "./runtime-watch.js";
import { Ticks } from "./ticks.js";

export interface AgentOptions {
  readonly config: AgentConfig;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Not started yet. */
  readonly runtime: Runtime;
  /** Beside the control socket's own source. */
  readonly sources: readonly PodSource[];
  /** Default: a lock that other processes heed. */
  readonly lock?: LockRootDir;
  /** For lifecycle hooks; default a real one. */
  readonly httpGet?: HttpGet;
  /** How paths of volumes are accessed; default: in subprocesses with a deadline. */
  readonly volumeCalls?: VolumeCalls;
  /** Default: random ones. */
  readonly ids?: IdSource;
  /** The machine below; default the real one. */
  readonly host?: Host;
  /** What plugins find at their seams in place of the real world; default nothing. */
  readonly world?: readonly SeamBinding[];
  /** What `api.reload` does; see there. */
  readonly reload?: AgentApi["reload"];
  /**
   * Called once the agent holds the lock of the root directory, before anything starts: an error (a port in use) ends the
   * start without side effects. From then on the agent accepts uncaught errors.
   */
  readonly beforeStart?: (agent: Pick<Agent, "uncaught">) => Promise<void>;
  /** Called with the API once the plugins have started; what it resolves with is called once the API knows what runs. An error ends the start. */
  readonly prepareServing?: (api: AgentApi) => Promise<() => void>;
}

export interface Agent {
  readonly api: AgentApi;
  /** Stops every pod; `gracePeriodSeconds` in place of the pods' own. May be called again with a shorter one. */
  shutdown(gracePeriodSeconds?: number): Promise<void>;
  /** Ends the agent; the pods run on. May be called twice. */
  stop(): Promise<void>;
  /**
   * Handles an uncaught error or unhandled rejection: logs it, counts it and records an event. False: the state in memory may be
   * inconsistent; stop the agent and start a new one. Never rejects.
   */
  uncaught(kind: UncaughtKind, error: unknown): Promise<boolean>;
}

/**
 * Resolves once pods that already ran are taken over and the others are on their way. Rejects with nothing left behind.
 * @throws NodeAgentError SEVERAL_CORES
 */
export async function startAgent(options: AgentOptions): Promise<Agent> {
  requireOneCore();
  const cleanup = new Cleanup(options.log);
  try {
    return await assemble(options, cleanup);
  } catch (error) {
    await cleanup.run();
    throw error;
  }
}

async function assemble(options: AgentOptions, cleanup: Cleanup): Promise<Agent> {
  const { config, clock, log, host = nodeHost(clock) } = options;
  const telemetry = telemetryPart({ clock, log, nodeName: config.node.name });
  const { report } = telemetry;
  const ids = options.ids ?? randomIds;
  const providers = new ProviderRegistry();
  const shared = { clock, config, ids, providers, telemetry, statuses: new StatusHub({ clock, report }) };
  const state = await statePart(
    { ...telemetry, clock, host, rootDir: config.rootDir, sudoUid: config.sudoUid, lock: options.lock },
    cleanup,
  );
  const crashLoopGuard = new CrashLoopGuard({ clock, checkpoint: state.checkpoint("deaths"), report });
  await crashLoopGuard.load();
  const code = config.plugins.map(({ plugin, file }) => pluginCode(plugin.meta.name, file));
  const tell = createUncaughtHandler(telemetry, crashLoopGuard, code);
  let died = false;
  cleanup.push(() => (died ? undefined : crashLoopGuard.ended()));
  const uncaught: Agent["uncaught"] = async (kind, error) => {
    const whole = await tell(kind, error);
    died ||= !whole;
    return whole;
  };
  await options.beforeStart?.({ uncaught });
  for (const text of config.warnings ?? []) telemetry.events.node("Warning", "UntrustedFolder", text);
  const running = await runtimePart({ ...telemetry, clock, config, runtime: options.runtime, host }, cleanup);
  const pods = await podsPart(
    { ...shared, ...running, crashLoopGuard, state, httpGet: options.httpGet, volumeCalls: options.volumeCalls },
    cleanup,
  );
  const nodeName = running.node.name;
  const { control, sourceList } = ownSources({ ...shared, nodeName, sources: options.sources, state, pods });
  const objects = objectsHub({
    store: control.objects,
    providers,
    sources: sourceList,
    sourceOf: (uid) => pods.manager.sourceOf(uid),
    config: config.sources,
  });
  const onTimerError = (plugin: string, error: unknown): void => void tell("uncaughtException", error, plugin);
  const world = worldOf(options.world ?? []);
  const plugins = await pluginsPart(
    { ...shared, ...running, ...pods, objects, world, sourceList, state, onTimerError },
    cleanup,
  );
  // Before the plugins stop: what the pods are at still goes through their taps.
  cleanup.push(() => pods.manager.close());
  const sources = sourcesPart({ ...shared, ...pods, control, sourceList }, cleanup);
  const { manager, ports } = pods;
  const { hub } = sources;

  const observer = new Observer(manager, ports);
  observer.start();
  cleanup.push(() => observer.stop());
  const { runtime: ask, ...health } = createHealth({
    clock,
    runtime: running.runtime,
    host: plugins,
    hub,
    conditions: running.nodePorts.conditions,
  });
  const api = createApi({
    reload: options.reload,
    ...telemetry,
    ...running,
    ...sources,
    ...health,
    ids,
    provided: providers.provided,
    placeOf: (uid) => sourceList.placeOf(uid),
    reviews: providers.reviews,
    servingCertificate: providers.servingCertificate,
    version: options.version,
    manager,
    host: plugins,
    machine: host,
    runtime: pods.protectedRuntime,
    podLogsDir: ports.podLogsDir,
    startedAt: clock.now(),
    createdAt: state.createdAt,
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    configz: configz(config, ports.podLogsDir),
    httpRequest: createHttpMetrics(telemetry.coreMetrics, () => clock.monotonic()),
    refreshMetrics: createPodGauges(telemetry.coreMetrics, manager, running.node.name),
  });
  const serve = await options.prepareServing?.(api);
  await takeOver({ runtime: running.runtime, rootDir: state.rootDir }, pods, plugins, hub, report);
  serve?.();

  const ticks = new Ticks(pods.guard.hooks, clock, report);
  ticks.start();
  cleanup.push(() => ticks.stop());
  const watch = new RuntimeWatch({ clock, events: telemetry.events, nodeName, ask });
  // In a cluster the events of the node's status come from the plugin that reports it.
  if (!providers.isInCluster) watch.start();
  cleanup.push(() => watch.stop());
  return {
    api,
    shutdown: (grace) => manager.shutdown(grace),
    stop: () => cleanup.run(),
    uncaught,
  };
}

/** What runs already and what the sources want: plugins get both before the first pod is admitted. */
async function takeOver(
  { runtime, rootDir }: { readonly runtime: Runtime; readonly rootDir: string },
  { manager }: Pick<Awaited<ReturnType<typeof podsPart>>, "manager">,
  host: PluginHost,
  hub: { read(): Promise<Parameters<PluginHost["open"]>[0]["pods"]>; open(): Promise<void> },
  report: (where: string, error: unknown) => void,
): Promise<void> {
  const found = await remains(runtime);
  await refuseSharedRuntime(found.values(), rootDir);
  manager.found(found);
  const [pods, containers] = await Promise.all([hub.read(), askStatuses(runtime, found.values(), report)]);
  await host.open({ pods, sandboxes: [...found.values()].flatMap((pod) => pod.sandboxes), containers });
  await hub.open();
  // Pods that arrive later read their statuses again.
  for (const { statuses } of found.values()) statuses.clear();
}
