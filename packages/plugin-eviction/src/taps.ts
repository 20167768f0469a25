/** Where the plugin taps: admission, the rounds, and what looks between them. */
import { rejectedByPressure } from "./admit.js";
import { MONITORING_INTERVAL_SECONDS } from "./loop/cleanup.js";
import { MemoryWatch } from "./loop/memory-watch.js";
import { Prediction } from "./loop/prediction.js";
import { kill } from "./node-ports.js";
import type { EvictionParts } from "./parts.js";

/** Seconds for the rounds of one tick, the longest that a tap may ask for: a kill takes its grace period. */
const DEADLINE = 3600;
/** Files that a look at memory reads, at most; they stay open. */
const WATCHED_FILES = 16;

/** Pods are turned away while the node is under pressure. */
export function tapAdmission({ ctx, options, manager }: EvictionParts): void {
  ctx.hooks.podAdmit.tap((verdict, { pod, running }) => {
    if (options.readmit === "keep-running" && running.length > 0) return;
    const rejection = rejectedByPressure(pod, manager.conditions);
    if (rejection !== undefined) return verdict.reject(rejection);
  });
}

/** The rounds; after them what `predict` cleans. */
export function tapRounds({ ctx, options, manager, loop, ports }: EvictionParts): void {
  const prediction = options.predict > 0 ? new Prediction(options.predict) : undefined;
  ctx.hooks.tick(MONITORING_INTERVAL_SECONDS).tap({ name: "rounds", deadlineSeconds: DEADLINE }, async () => {
    await loop.run();
    for (const what of prediction?.look(manager.state) ?? []) {
      try {
        await ports.reclaim(what);
      } catch (error) {
        ports.note(`unexpected error when cleaning ${what} ahead of pressure`, error);
      }
    }
  });
}

/** Beside the rounds, which wait for the victims that shall hurry. */
export function tapEscalation(parts: EvictionParts): void {
  if (!parts.options.escalate) return;
  parts.ctx.hooks
    .tick(MONITORING_INTERVAL_SECONDS)
    .tap({ name: "escalation", deadlineSeconds: DEADLINE }, () => escalate(parts));
}

/** @returns what closes the files of the watch */
export function tapWatch(parts: EvictionParts): () => void {
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
