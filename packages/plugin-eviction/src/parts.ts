/** What the plugin is made of, tied together. Nothing happens before a tap calls for it. */
import type { NodeContext } from "@hooklet/core";
import { EarlierLife, isUnderWay } from "./loop/earlier-life.js";
import { Escalation } from "./loop/escalation.js";
import { EvictionLoop } from "./loop/loop.js";
import { EvictionManager } from "./loop/manager.js";
import type { RoundPorts } from "./loop/ports.js";
import type { ManagerSettings } from "./loop/settings.js";
import { createMetrics } from "./metrics.js";
import { isClean, type NodePortsParts, nodePorts } from "./node-ports.js";
import { NodeStatisticsReader } from "./node-statistics.js";
import type { EvictionOptions } from "./options.js";
import { PendingEvictions } from "./pending.js";
import { ShownConditions } from "./shown.js";

export interface EvictionParts extends NodePortsParts {
  readonly options: Omit<EvictionOptions, "ranking">;
  readonly settings: ManagerSettings;
  readonly ports: RoundPorts;
  readonly manager: EvictionManager;
  readonly loop: EvictionLoop;
  readonly escalation: Escalation;
  readonly earlier: EarlierLife;
}

export function evictionParts(
  ctx: NodeContext,
  options: Omit<EvictionOptions, "ranking">,
  settings: ManagerSettings,
): EvictionParts {
  const onNode: NodePortsParts = {
    ctx,
    options,
    rankingName: settings.rankingName,
    metrics: createMetrics(ctx.metrics),
    pending: new PendingEvictions(ctx.checkpoint("pending"), ctx.clock, (error) =>
      ctx.log.error({ err: error }, "eviction manager: the victim is not on disk; an agent that dies now forgets it"),
    ),
    shown: new ShownConditions(ctx),
    statistics: new NodeStatisticsReader(ctx, options),
  };
  const ports = nodePorts(onNode);
  const escalation = new Escalation();
  const manager = new EvictionManager(settings, { ...ports, evict: escalation.watching(ports.evict) });
  const earlier = new EarlierLife(ctx);
  const loop = new EvictionLoop(manager, {
    clock: ctx.clock,
    async ready() {
      await earlier.over();
      await onNode.pending.end((uid) => !isUnderWay(ctx, uid));
    },
    isClean: (pod) => isClean(ctx, pod),
    failed: (text, error) => ports.note(text, error),
    note: (text) => ports.note(text),
    signal: ctx.signal,
  });
  return { ...onNode, options, settings, ports, manager, loop, escalation, earlier };
}
