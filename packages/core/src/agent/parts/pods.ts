/** The pods: their hooks, admission, life and evictions. */

import type { Runtime } from "@hooklet/cri-api";
import { parseQuantity, quantityValue } from "@hooklet/manifest";
import type { Clock } from "@hooklet/utils";
import { type VolumeCalls, volumeCallsApart } from "@hooklet/volumes";
import { tapPredicates, tapRestrictions, tapSysctls } from "../../admission/core-tap.js";
import { AdmissionQueue } from "../../admission/queue.js";
import {
  allowedFolders,
  refusesPrivileged,
  type SourceRestrictions,
  unkeptSources,
} from "../../admission/restrictions.js";
import type { AgentConfig } from "../../config/agent-config.js";
import { createGuardedHooks, type GuardedHooks } from "../../hooks/guard.js";
import type { TapCall } from "../../hooks/tap-record.js";
import type { Metrics } from "../../plugin/contract.js";
import type { ProviderRegistry } from "../../plugin/providers.js";
import { Evictions } from "../../pod/life/evictions.js";
import { createHttpGet, type HttpGet } from "../../pod/life/handlers.js";
import { PodDirectories } from "../../pod/life/pod-directories.js";
import { PodManager } from "../../pod/life/pod-manager.js";
import type { StepPorts } from "../../pod/life/steps.js";
import type { StatusHub } from "../../sources/status-hub.js";
import type { Cleanup } from "../cleanup.js";
import type { CrashLoopGuard } from "../crash-loop-guard.js";
import { watchLogs } from "../log-rotation.js";
import { podPorts, TerminationCauses } from "../pod-ports.js";
import type { RuntimePart } from "./runtime.js";
import type { State } from "./state.js";
import type { Telemetry } from "./telemetry.js";

export interface PodsPart {
  readonly guard: GuardedHooks;
  readonly manager: PodManager;
  readonly evictions: Evictions;
  readonly directories: PodDirectories;
  readonly ports: StepPorts;
  /** Refuses to remove images that are about to be used. */
  readonly protectedRuntime: Runtime;
}

export async function podsPart(
  needs: {
    readonly clock: Clock;
    readonly config: AgentConfig;
    /** For lifecycle hooks; default a real one. */
    readonly httpGet: HttpGet | undefined;
    /** Default: in subprocesses. */
    readonly volumeCalls: VolumeCalls | undefined;
    readonly providers: ProviderRegistry;
    readonly statuses: StatusHub;
    readonly crashLoopGuard: CrashLoopGuard;
    readonly state: State;
    readonly telemetry: Telemetry;
  } & RuntimePart,
  cleanup: Cleanup,
): Promise<PodsPart> {
  const { clock, config, runtime, info, node, providers, statuses, state, telemetry } = needs;
  const { log, events, decisions, metrics, coreMetrics, report } = telemetry;
  const guard = createGuardedHooks({
    clock,
    onError: (error) => report(`plugin ${error.plugin}`, error),
    onCall: tapMetrics(coreMetrics),
  });
  const terminations = new TerminationCauses({ checkpoint: state.checkpoint("terminations"), report });
  cleanup.push(() => terminations.stop());
  const remembered = await terminations.load();
  // The pods' manager is made of what stands here: nothing calls these functions before.
  const sourceOf = (uid: string): string | undefined => manager.sourceOf(uid);
  const queue = new AdmissionQueue({
    hooks: guard.hooks,
    decisions: decisions.forPlugin("core"),
    others: (uid) => manager.others(uid),
    report,
  });
  const httpGet = needs.httpGet ?? realHttpGet(cleanup);
  const volumeCalls = needs.volumeCalls ?? volumeCallsApart(clock);
  cleanup.push(() => volumeCalls.close());
  const restrictions = config.sources.restrictions ?? {};
  const ports = podPorts({
    admit: queue.admit.bind(queue),
    sourceOf,
    config,
    host: needs.host,
    node,
    clock,
    log,
    runtime,
    hooks: guard.hooks,
    events,
    decisions: (plugin) => decisions.forPlugin(plugin),
    metrics,
    httpGet,
    terminations,
    providers,
    volumeCalls,
    seccompDefault: ({ metadata }) => refusesPrivileged(sourceOf(metadata.uid), restrictions),
    allowedHostPaths: ({ metadata }) => allowedFolders(sourceOf(metadata.uid), restrictions),
    recursiveReadOnlyHandlers: info.recursiveReadOnlyHandlers,
    report,
    statusesSettled: () => statuses.settled(),
  });
  const manager = new PodManager({
    ports,
    idPrefix: info.idPrefix,
    remembered,
    quarantine: needs.crashLoopGuard,
    onEnd: (pod, source) => statuses.final(pod, source),
    onGone: ({ metadata }) => {
      void terminations.forget(metadata.uid);
      statuses.removed(metadata.uid);
    },
    onChange: (pod) => statuses.changed(pod),
  });
  const directories = new PodDirectories(state.rootDir, (uid) => manager.isKnown(uid), volumeCalls);
  directories.finishRemovals().catch((error: unknown) => report("directories of pods that were being removed", error));
  tapRestrictions(guard.hooks, sourceOf, restrictions, runtime);
  for (const text of unenforcedRestrictions(runtime, restrictions)) {
    log.warn(text);
    events.node("Warning", "RestrictionsNotHeld", text);
  }
  tapSysctls(guard.hooks, config.node.allowedUnsafeSysctls);
  tapPredicates(guard.hooks, () => node.facts(), { holding: (pod) => manager.holding(pod) });
  const evictions = new Evictions({
    clock,
    events,
    worker: (uid) => manager.worker(uid),
    awaited: () => manager.awaited(),
    until: (predicate, signal) => manager.until(predicate, signal),
    decisions: (plugin) => decisions.forPlugin(plugin),
  });
  watchLogs(guard.hooks, manager, {
    clock,
    runtime,
    podLogsDir: ports.podLogsDir,
    maxSize: quantityValue(parseQuantity(config.node.containerLogMaxSize)),
    maxFiles: config.node.containerLogMaxFiles,
    report,
  });
  return { guard, manager, evictions, directories, ports, protectedRuntime: ports.images.leases.protect(runtime) };
}

/** The restrictions that the runtime cannot enforce. */
function unenforcedRestrictions(runtime: Runtime, restrictions: SourceRestrictions): readonly string[] {
  if (runtime.reachesNodeFiles === undefined) return [];
  return unkeptSources(restrictions).map(
    (source) =>
      `sources.restrictions.${source}.refusePrivileged does not keep containers of runtime ${runtime.name} from the node's files: root in one of them reaches these files. ` +
      `Set allowedHostPaths as well (an empty list allows none), which refuses such containers, or use runtime cri`,
  );
}

function realHttpGet(cleanup: Cleanup): HttpGet {
  const http = createHttpGet();
  cleanup.push(() => http.close());
  return http.get;
}

/** Counts calls of taps, by plugin, hook and outcome (own metrics). */
function tapMetrics(metrics: Metrics): (call: TapCall) => void {
  const labels = ["plugin", "hook", "outcome"];
  const calls = metrics.counter({
    name: "hooklet_tap_calls_total",
    help: "Calls of taps by plugin, hook and outcome.",
    labels,
  });
  const duration = metrics.histogram({
    name: "hooklet_tap_duration_seconds",
    help: "Duration in seconds of calls of taps.",
    labels: ["plugin", "hook"],
    buckets: [0.0001, 0.001, 0.01, 0.1, 1, 10],
  });
  return ({ plugin, hook, outcome, milliseconds }) => {
    calls.inc({ plugin, hook, outcome });
    duration.observe(milliseconds / 1000, { plugin, hook });
  };
}
