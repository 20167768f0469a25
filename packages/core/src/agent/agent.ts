/**
 * The agent: joins sources, pods, plugins and runtime, in the order in which they need each other. Stopping it stops no
 * pod; `shutdown` does.
 */
import { mkdir } from "node:fs/promises";
import path from "node:path";
import { parseQuantity, quantityValue } from "@hooklet/manifest";
import type { Logger } from "pino";
import { tapPredicates } from "../admission/core-tap.js";
import { AdmissionQueue } from "../admission/queue.js";
import type { Clock } from "../clock.js";
import type { AgentConfig } from "../config/types.js";
import { errorText } from "../errors.js";
import { DecisionLog } from "../events/decisions.js";
import { EventLog } from "../events/recorder.js";
import { createGuardedHooks } from "../guard.js";
import { createPodGauges } from "../metrics/pod-gauges.js";
import { createPodMetrics } from "../metrics/pod-metrics.js";
import { createTapMetrics } from "../metrics/tap-metrics.js";
import { readNode } from "../node/node.js";
import { Observer } from "../observe/observer.js";
import { PluginHost } from "../plugin/host.js";
import { MetricRegistries } from "../plugin/metrics.js";
import { remains } from "../pod/life/adopt.js";
import { Evictions } from "../pod/life/evictions.js";
import type { HttpGet } from "../pod/life/handlers.js";
import { createHttpGet } from "../pod/life/http-get.js";
import { PodManager } from "../pod/life/manager.js";
import { instrumented } from "../runtime/instrumented.js";
import type { Runtime } from "../runtime/port.js";
import { controlSource } from "../sources/control.js";
import type { PodSource } from "../sources/port.js";
import { openCheckpoint } from "../state/checkpoint.js";
import { lockRootDir } from "../state/lock.js";
import { createApi } from "./agent-api.js";
import type { AgentApi } from "./api.js";
import { configz } from "./configz.js";
import { watchEmptyDirs } from "./empty-dirs.js";
import { createHealth } from "./health.js";
import { watchLogs } from "./log-rotation.js";
import { TerminationMemory } from "./memory.js";
import { podsFor } from "./plugin-pods.js";
import { PluginState } from "./plugin-state.js";
import { podPorts } from "./pod-ports.js";
import { SourcesHub } from "./sources-hub.js";
import { Ticks } from "./ticks.js";
import { Unwind } from "./unwind.js";

/** Events and decisions kept for those who ask later. */
const EVENTS_KEPT = 5_000;
const DECISIONS_KEPT = 5_000;
/** What `hooklet get` shows without any plugin. */
const RESERVED_VIEWS = ["pods", "pod", "plugins", "node", "nodes", "images", "events"];
export interface AgentOptions {
  readonly config: AgentConfig;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Not started yet. */
  readonly runtime: Runtime;
  /** Beside the control socket's own source. */
  readonly sources: readonly PodSource[];
  /** For lifecycle hooks; default a real one. */
  readonly httpGet?: HttpGet;
}

export interface Agent {
  readonly api: AgentApi;
  /** Stops every pod; `gracePeriodSeconds` in place of the pods' own. May be called again with a shorter one. */
  shutdown(gracePeriodSeconds?: number): Promise<void>;
  /** Ends the agent; the pods run on. May be called twice. */
  stop(): Promise<void>;
}

/** Resolves once pods that already ran are adopted and the others are on their way. Rejects with nothing left behind. */
export async function startAgent(options: AgentOptions): Promise<Agent> {
  const undo = new Unwind(options.log);
  try {
    return await assemble(options, undo);
  } catch (error) {
    await undo.run();
    throw error;
  }
}

async function assemble(options: AgentOptions, undo: Unwind): Promise<Agent> {
  const { config, clock, log } = options;
  const { rootDir } = config;
  let starting: string | undefined = "starting";
  await mkdir(rootDir, { recursive: true, mode: 0o755 });
  const lock = await lockRootDir(rootDir, clock);
  undo.push(() => lock.release());

  const registries = new MetricRegistries();
  const coreMetrics = registries.forOwner("core");
  const metrics = createPodMetrics(coreMetrics);
  const tapMetrics = createTapMetrics(coreMetrics);
  const events = new EventLog({ clock, nodeName: config.node.name, capacity: EVENTS_KEPT });
  const decisions = new DecisionLog(clock, DECISIONS_KEPT);
  const report = (where: string, error: unknown): void => {
    log.error({ err: error }, `${where}: ${errorText(error)}`);
  };
  const guard = createGuardedHooks({
    clock,
    onError: (error) => report(`plugin ${error.plugin}`, error),
    onCall: tapMetrics,
  });
  const checkpoint = (name: string) =>
    openCheckpoint(path.join(rootDir, "state", `${name}.json`), {
      clock,
      onDamaged: (file, aside, why) => {
        const text = `${file} is damaged (${why}) and was set aside as ${aside ?? "nothing: it could not be moved"}`;
        log.error(text);
        events.node("Warning", "CorruptCheckpoint", text);
      },
    });

  const runtime = instrumented(options.runtime, metrics, clock);
  await runtime.start();
  undo.push(() => runtime.close());
  for (const text of runtime.damage?.() ?? []) events.node("Warning", "CorruptCheckpoint", text);
  const [info, node] = await Promise.all([runtime.info(), readNode(config.node, rootDir)]);

  const http = options.httpGet === undefined ? createHttpGet() : undefined;
  if (http !== undefined) undo.push(() => http.close());
  const memory = new TerminationMemory(checkpoint("terminations"));
  const active = (): ReturnType<PodManager["active"]> => manager.active();
  const queue = new AdmissionQueue({ hooks: guard.hooks, decisions: decisions.forPlugin("core"), active, report });
  const ports = podPorts({
    config,
    node,
    clock,
    log,
    runtime,
    hooks: guard.hooks,
    events,
    metrics,
    httpGet: options.httpGet ?? (http as { get: HttpGet }).get,
    memory,
    queue,
    report,
  });
  const guarded = ports.images.leases.guard(runtime);
  const manager: PodManager = new PodManager({
    ports,
    idPrefix: info.idPrefix,
    remembered: await memory.load(),
    onGone: (pod) => {
      for (const source of sources) source.removed?.(pod.metadata.uid);
      memory.forget(pod.metadata.uid).catch((error: unknown) => report("terminations", error));
    },
    onChange: (pod) => {
      for (const source of sources) source.status?.(pod);
    },
  });

  const control = controlSource({ clock, rootDir, nodeName: node.name });
  const sources: readonly PodSource[] = [...options.sources, control];
  const hub = new SourcesHub({ sources, manager, events, log, clock, report });
  undo.push(
    events.watch((event) => {
      for (const source of sources) source.event?.(event);
    }),
  );

  tapPredicates(guard.hooks, () => node.facts());
  const evictions = new Evictions({
    clock,
    events,
    worker: (uid) => manager.worker(uid),
    until: (predicate) => manager.until(predicate),
    decisions: (plugin) => decisions.forPlugin(plugin),
    perMinute: config.node.evictionsPerMinute,
  });
  undo.push(() => evictions.stop());
  watchEmptyDirs(guard.hooks, { manager, evictions, volumes: ports.volumes, metrics });
  watchLogs(guard.hooks, manager, {
    clock,
    runtime,
    podLogsDir: ports.podLogsDir,
    maxSize: quantityValue(parseQuantity(config.node.containerLogMaxSize)),
    maxFiles: config.node.containerLogMaxFiles,
    report,
  });
  const host = new PluginHost({
    guard,
    clock,
    log,
    runtime: guarded,
    node,
    events,
    metrics: registries,
    reservedViews: RESERVED_VIEWS,
    decisions: (plugin) => decisions.forPlugin(plugin),
    checkpoint: (plugin, name) => checkpoint(path.join("plugins", fileName(plugin), name)),
    pods: (plugin) => podsFor(plugin, manager, evictions),
    onError: (error) => report(`plugin ${error.plugin}`, error),
  });
  undo.push(() => host.stop());
  await host.start(config.plugins);
  const pluginState = new PluginState(host, checkpoint("plugins"), clock, report);
  undo.push(() => pluginState.stop());
  undo.push(() => manager.close());
  undo.push(() => hub.stop());

  const observer = new Observer(manager, ports);
  observer.start();
  undo.push(() => observer.stop());
  const found = await remains(runtime);
  manager.found(found);
  const pods = await hub.read();
  const containers = [...found.values()].flatMap((pod) => pod.containers);
  await host.restore(await pluginState.load(), {
    pods,
    sandboxes: [...found.values()].flatMap((pod) => pod.sandboxes),
    containers: await Promise.all(containers.map(({ id }) => runtime.containerStatus(id))),
  });
  pluginState.start();
  await hub.open();

  const ticks = new Ticks(guard.hooks, clock, report);
  ticks.start();
  undo.push(() => ticks.stop());
  const { health, ready } = createHealth({ clock, runtime, host, hub, starting: () => starting });
  const api = createApi({
    version: options.version,
    node,
    manager,
    host,
    runtime: guarded,
    info,
    events,
    decisions,
    registries,
    control,
    podLogsDir: ports.podLogsDir,
    startedAt: clock.now(),
    now: () => clock.now(),
    configz: configz(config, ports.podLogsDir),
    refreshMetrics: createPodGauges(coreMetrics, manager, node.name),
    health,
    ready,
  });
  starting = undefined;
  return { api, shutdown: (grace) => manager.shutdown(grace), stop: () => undo.run() };
}

/** A plugin's name as part of a path: npm scopes have a slash. */
function fileName(plugin: string): string {
  return plugin.replaceAll(/[^A-Za-z0-9._-]/g, "_").replace(/^\.+/, "_");
}
