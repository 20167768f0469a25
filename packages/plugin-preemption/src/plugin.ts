import { definePlugin, strategyName } from "@hooklet/core";
import { PendingPreemptions } from "./pending.js";
import { planned } from "./plan.js";
import { Preemptor } from "./preemptor.js";
import { victimsStrategies } from "./strategies.js";

/** Seconds for all kills of one preemption, the longest that a tap may ask for. */
const DEADLINE = 24 * 3600;

/** Preempts pods for critical pods as the kubelet does (pkg/kubelet/preemption). */
export const plugin = definePlugin({
  meta: {
    name: "@hooklet/plugin-preemption",
    api: 1,
    description: "Evicts pods for critical ones that do not fit",
  },
  options: (z) => z.strictObject({ verify: z.boolean().default(false) }),
  strategies: { victims: victimsStrategies },
  start(ctx, { verify }, { victims }) {
    const strategy = strategyName(victims) ?? "custom";
    const preemptions = ctx.metrics.counter({
      name: "kubelet_preemptions",
      help: "Cumulative number of pod preemptions by preemption resource",
      labels: ["preemption_signal"],
    });
    const pending = new PendingPreemptions(ctx.checkpoint("pending"), (error) =>
      ctx.log.error(
        { err: error },
        "preemption: the victims are not on disk; an agent that dies now may choose others",
      ),
    );
    const preemptor = new Preemptor({
      ctx,
      strategy: victims,
      strategyName: strategy,
      verify,
      pending,
      counted: (signal) => preemptions.inc({ preemption_signal: signal }),
    });
    ctx.hooks.podAdmit.tap({ stage: "repair", deadlineSeconds: DEADLINE }, (verdict, event) =>
      preemptor.repair(verdict, event),
    );
    return {
      open: () => pending.load(),
      plan: async (input) => planned(ctx, preemptor, strategy, input),
    };
  },
});
