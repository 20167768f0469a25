/** The plugin: taps, and what ties the parts together. */
import { definePlugin, strategyName } from "@hooklet/core";
import { rejectedByPressure } from "./admit.js";
import { MONITORING_INTERVAL_SECONDS } from "./loop/cleanup.js";
import { EarlierLife, isUnderWay } from "./loop/earlier-life.js";
import { Escalation } from "./loop/escalation.js";
import { EvictionLoop } from "./loop/loop.js";
import { EvictionManager } from "./loop/manager.js";
import type { RoundPorts } from "./loop/ports.js";
import { Prediction } from "./loop/prediction.js";
import type { ManagerSettings } from "./loop/settings.js";
import { unwatched, watchMemory } from "./loop/watch.js";
import { createMetrics } from "./metrics.js";
import { isClean, kill, type NodePortsParts, nodePorts, readStatistics } from "./node-ports.js";
import { observationsOf } from "./observations.js";
import { type EvictionOptions, options, thresholdsOf } from "./options.js";
import { PendingEvictions } from "./pending.js";
import { planned } from "./plan.js";
import { type FileReader, memoryOnly } from "./readings/machine.js";
import { StallMeter } from "./readings/stall.js";
import type { ReclaimFunction } from "./round/reclaim.js";
import { ShownConditions } from "./shown.js";
import { rankingStrategies } from "./strategies/table.js";
import { stallWindows } from "./thresholds/stalls.js";
import { evictionView } from "./view.js";

/** Seconds for the rounds of one tick, the longest that a tap may ask for: a kill takes its grace period. */
const DEADLINE = 3600;
/** Files that a look at memory reads, at most; they stay open. */
const WATCHED_FILES = 16;

/** Evicts pods when the node runs short, and keeps them to their local storage limits, as the kubelet does (pkg/kubelet/eviction). */
export const plugin = definePlugin<EvictionOptions>({
  meta: {
    name: "@hooklet/plugin-eviction",
    api: 1,
    description: "Node-pressure eviction and local storage limits",
  },
  options,
  strategies: { ranking: rankingStrategies },
  start(ctx, { ranking, ...given }) {
    if (ranking === undefined) throw new Error("option ranking is missing: start the plugin through its loader");
    const settings: ManagerSettings = {
      thresholds: thresholdsOf(ctx.node.evictionHard, given),
      localStorageCapacityIsolation: given.localStorageCapacityIsolation,
      pressureTransitionPeriodSeconds: given.evictionPressureTransitionPeriod,
      maxPodGracePeriodSeconds: given.evictionMaxPodGracePeriod,
      budget: given.budget,
      dryRun: given.mode === "dry-run",
      ranking,
      rankingName: strategyName(ranking) ?? "custom",
    };
    const pending = new PendingEvictions(ctx.checkpoint("pending"), (error) =>
      ctx.log.error({ err: error }, "eviction manager: the victim is not on disk; an agent that dies now forgets it"),
    );
    const shown = new ShownConditions(ctx);
    let source: "provider" | "own" | undefined;
    const parts = {
      ctx,
      options: given,
      rankingName: settings.rankingName,
      metrics: createMetrics(ctx.metrics),
      pending,
      shown,
      stalls: new StallMeter(stallWindows(given.psi)),
      source: (from: "provider" | "own") => {
        source = from;
      },
    };
    const ports = nodePorts(parts);
    const escalation = new Escalation();
    const manager = new EvictionManager(settings, { ...ports, evict: escalation.watching(ports.evict) });
    const earlier = new EarlierLife(ctx);
    const loop = new EvictionLoop(manager, {
      clock: ctx.clock,
      async ready() {
        await earlier.over();
        await pending.end((uid) => !isUnderWay(ctx, uid));
      },
      isClean: (pod) => isClean(ctx, pod),
      failed: (text, error) => ports.note(text, error),
      note: (text) => ports.note(text),
      signal: ctx.signal,
    });
    const prediction = new Prediction(given.predict);

    ctx.hooks.podAdmit.tap((verdict, { pod, running }) => {
      if (given.readmit === "keep-running" && running.length > 0) return;
      const rejection = rejectedByPressure(pod, manager.conditions);
      if (rejection !== undefined) return verdict.reject(rejection);
    });
    ctx.hooks.tick(MONITORING_INTERVAL_SECONDS).tap({ name: "rounds", deadlineSeconds: DEADLINE }, async () => {
      await loop.run();
      for (const what of given.predict > 0 ? prediction.look(manager.state) : []) await clean(ports, what);
    });
    const escalate = (): Promise<void> =>
      escalation.check(
        manager.state.thresholds,
        () => readStatistics(parts),
        (eviction) => kill(parts, eviction),
      );
    if (given.escalate) {
      ctx.hooks.tick(MONITORING_INTERVAL_SECONDS).tap({ name: "escalation", deadlineSeconds: DEADLINE }, escalate);
    }
    const files = given.watch > 0 ? ctx.host.kernel.reader(WATCHED_FILES) : undefined;
    if (files !== undefined) {
      watch(parts, files, manager, () => {
        void loop.run();
        if (given.escalate) escalate().catch((error: unknown) => ports.note("escalation failed", error));
      });
    }

    return {
      async open() {
        earlier.began(await pending.load());
        shown.show([]);
      },
      views: { eviction: evictionView(manager, () => ctx.clock.monotonic()) },
      plan: (input) =>
        planned(
          {
            ctx,
            manager,
            settings,
            read: () => readStatistics(parts),
            layout: () => ports.layout(),
            pods: () => ctx.pods.active(),
          },
          input,
        ),
      stop: () => files?.close(),
      health() {
        const failure = loop.failure ?? manager.unreadable;
        if (failure !== undefined) return { ok: false, message: `no round: ${failure}` };
        const under = manager.conditions.length === 0 ? "no pressure" : manager.conditions.join(", ");
        const without = source === "own" ? "; no plugin provides statistics: they come from machine and runtime" : "";
        return { ok: true, message: `${under}${without}` };
      },
    };
  },
});

async function clean(ports: RoundPorts, what: ReclaimFunction): Promise<void> {
  try {
    await ports.reclaim(what);
  } catch (error) {
    ports.note(`unexpected error when cleaning ${what} ahead of pressure`, error);
  }
}

function watch(
  parts: NodePortsParts & { readonly options: Pick<EvictionOptions, "watch"> },
  files: FileReader,
  manager: EvictionManager,
  crossed: () => void,
): void {
  const { ctx, options: given, stalls } = parts;
  let state = unwatched;
  ctx.hooks.tick(given.watch).tap({ name: "watch" }, ({ now: wall }) => {
    const now = ctx.clock.monotonic();
    if (now < state.restUntil) return;
    const time = new Date(wall).toISOString();
    const stalled = { time, shares: stalls.read(files, now) };
    const observations = observationsOf({ ...memoryOnly(files, given, time), stalled });
    const looked = watchMemory(state, manager.state.thresholds, observations, now);
    state = looked.state;
    // Not awaited: the rounds may take longer than this tick, and are watched by their own.
    if (looked.round) crossed();
  });
}
