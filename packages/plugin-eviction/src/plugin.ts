/** The plugin: what it is called, what it taps, and what it answers. */
import { definePlugin, type PluginInstance } from "@hooklet/core";
import { settingsOf } from "./loop/settings.js";
import { type EvictionOptions, options } from "./options.js";
import { type EvictionParts, evictionParts } from "./parts.js";
import { planned } from "./plan.js";
import { rankingStrategies } from "./strategies/table.js";
import { tapAdmission, tapEscalation, tapRounds, tapWatch } from "./taps.js";
import { evictionView } from "./view.js";

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

function health({ loop, manager, statistics }: EvictionParts) {
  const failure = loop.failure ?? manager.unreadable;
  if (failure !== undefined) return { ok: false, message: `no round: ${failure}` };
  const under = manager.conditions.length === 0 ? "no pressure" : manager.conditions.join(", ");
  const from = statistics.isOwn ? "; no plugin provides statistics here: they come from machine and runtime" : "";
  return { ok: true, message: `${under}${from}` };
}
