/** The plugin: its parts, its taps, and its answers to the CLI. */
import { definePlugin, type NodeContext, type PluginInstance, type Pod, podSubject } from "@hooklet/core";
import { isCriticalPod, qosClass, tolerates } from "@hooklet/core/rules";
import { pressureRows } from "./considered.js";
import { planned } from "./dry-run.js";
import { Escalation, type EvictParts, evictBy, kill } from "./evict.js";
import { EvictionManager, type RoundPorts } from "./eviction-manager.js";
import { EvictionLoop, MONITORING_INTERVAL_SECONDS } from "./loop.js";
import { MemoryWatch } from "./memory-watch.js";
import { admissionMessage, EVICTED } from "./messages.js";
import { createMetrics } from "./metrics.js";
import { type NodePortsParts, nodePorts, ShownConditions } from "./node-ports.js";
import { NodeStatisticsReader } from "./node-statistics.js";
import { type EvictionOptions, type ManagerSettings, options, settingsOf } from "./options.js";
import { EarlierLife, isUnderWay, PendingEvictions } from "./pending.js";
import { rankingStrategies } from "./ranking.js";
import type { PressureCondition } from "./signals.js";
import { evictionView } from "./view.js";

/** Seconds for the rounds of one tick, the longest that a tap may ask for: a kill takes its grace period. */
const DEADLINE = 3600;
/** Files read by one check of memory, at most; they stay open. */
const WATCHED_FILES = 4;

/** Evicts pods when the node runs short, and keeps them to their local storage limits, as the kubelet does (pkg/kubelet/eviction). */
export const plugin = definePlugin({
  meta: {
    name: "@hooklet/plugin-eviction",
    api: 1,
    description: "Node-pressure eviction and local storage limits",
  },
  options,
  strategies: { ranking: rankingStrategies },
  start(ctx, given, { ranking }) {
    const parts = evictionParts(ctx, given, settingsOf(ctx.node.evictionHard, given, ranking));
    tapAdmission(parts);
    tapRounds(parts);
    tapEscalation(parts);
    return instance(parts, tapWatch(parts));
  },
});

function instance(parts: EvictionParts, close: () => void): PluginInstance {
  const { ctx, manager, earlier, pending, shown } = parts;
  return {
    async open() {
      earlier.began(await pending.load());
      shown.show([]);
    },
    views: { eviction: evictionView(manager, () => ctx.clock.monotonic()) },
    plan: (input) => planned(parts, input),
    health: () => health(parts),
    stop: close,
  };
}

function health({ loop, manager }: EvictionParts) {
  const failure = loop.failure ?? manager.unreadable;
  if (failure !== undefined) return { ok: false, message: `no round: ${failure}` };
  const under = manager.conditions.length === 0 ? "no pressure" : manager.conditions.join(", ");
  return { ok: true, message: under };
}

/** The parts of the plugin. */
interface EvictionParts extends NodePortsParts, EvictParts {
  readonly options: Omit<EvictionOptions, "ranking">;
  readonly settings: ManagerSettings;
  readonly ports: RoundPorts;
  readonly manager: EvictionManager;
  readonly loop: EvictionLoop;
  readonly escalation: Escalation;
  readonly earlier: EarlierLife;
}

/** Ties it together. Nothing happens before a tap calls for it. */
function evictionParts(
  ctx: NodeContext,
  options: Omit<EvictionOptions, "ranking">,
  settings: ManagerSettings,
): EvictionParts {
  const metrics = createMetrics(ctx.metrics);
  const parts = {
    ctx,
    options,
    rankingName: settings.rankingName,
    metrics,
    pending: new PendingEvictions(ctx.checkpoint("pending"), (error) =>
      ctx.log.error({ err: error }, "eviction manager: the victim is not on disk; an agent that dies now forgets it"),
    ),
    shown: new ShownConditions(ctx),
    statistics: new NodeStatisticsReader(ctx, options),
  };
  const escalation = new Escalation();
  const ports: RoundPorts = { ...nodePorts(parts), evict: escalation.watching(evictBy(parts)) };
  const manager = new EvictionManager(settings, ports);
  const earlier = new EarlierLife(ctx);
  const loop = new EvictionLoop(manager, {
    clock: ctx.clock,
    async ready() {
      await earlier.over();
      await parts.pending.end((uid) => !isUnderWay(ctx, uid));
    },
    // What it held has been given back, as far as the node's bookkeeping goes.
    isClean: ({ metadata }) => !ctx.pods.active().some((pod) => pod.metadata.uid === metadata.uid),
    note: ports.note,
    signal: ctx.signal,
  });
  return { ...parts, settings, ports, manager, loop, escalation, earlier };
}

/** Pods are turned away while the node is under pressure. */
function tapAdmission({ ctx, options, manager }: EvictionParts): void {
  ctx.hooks.podAdmit.tap((verdict, { pod, running }) => {
    if (options.readmit === "keep-running" && running.length > 0) return;
    const rejection = rejectedByPressure(pod, manager.conditions);
    if (rejection === undefined) return;
    ctx.decisions.record({
      strategy: "pressure",
      subject: podSubject(pod),
      considered: pressureRows(manager.state),
      outcome: `refused while the node has ${manager.conditions.join(", ")}`,
    });
    return verdict.reject(rejection);
  });
}

function tapRounds({ ctx, loop }: EvictionParts): void {
  ctx.hooks.tick(MONITORING_INTERVAL_SECONDS).tap({ name: "rounds", deadlineSeconds: DEADLINE }, () => loop.run());
}

/** Beside the rounds, which wait for the victims that shall hurry. */
function tapEscalation(parts: EvictionParts): void {
  if (!parts.options.escalate) return;
  parts.ctx.hooks
    .tick(MONITORING_INTERVAL_SECONDS)
    .tap({ name: "escalation", deadlineSeconds: DEADLINE }, () => escalate(parts));
}

/** @returns what closes the files of the watch */
function tapWatch(parts: EvictionParts): () => void {
  const { ctx, options, manager, loop, ports, statistics } = parts;
  if (options.watch === 0) return () => undefined;
  const files = ctx.host.kernel.reader(WATCHED_FILES);
  const watch = new MemoryWatch({
    clock: ctx.clock,
    thresholds: () => manager.state.thresholds,
    read: () => statistics.memory(files),
    crossed() {
      void loop.run();
      if (options.escalate) escalate(parts).catch((error: unknown) => ports.note("escalation failed", error));
    },
  });
  ctx.hooks.tick(options.watch).tap({ name: "watch" }, () => watch.look());
  return () => files.close();
}

function escalate(parts: EvictionParts): Promise<void> {
  const { escalation, manager, statistics } = parts;
  return escalation.check(
    manager.state.thresholds,
    () => statistics.read(),
    (eviction) => kill(parts, eviction),
  );
}

const MEMORY_TAINT = { key: "node.kubernetes.io/memory-pressure", effect: "NoSchedule" } as const;

/** The rejection, or undefined when the pod may come. Its message names the conditions in the order given. */
export function rejectedByPressure(
  pod: Pod,
  conditions: readonly PressureCondition[],
): { readonly reason: string; readonly message: string } | undefined {
  if (conditions.length === 0 || isCriticalPod(pod)) return undefined;
  const onlyMemory = conditions.length === 1 && conditions[0] === "MemoryPressure";
  if (onlyMemory) {
    if (qosClass(pod) !== "BestEffort") return undefined;
    if ((pod.spec.tolerations ?? []).some((one) => tolerates(one, MEMORY_TAINT))) return undefined;
  }
  return { reason: EVICTED, message: admissionMessage(conditions) };
}
