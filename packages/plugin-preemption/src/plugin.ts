import {
  type Decision,
  definePlugin,
  NodeAgentError,
  type NodeContext,
  type PlanInput,
  type Pod,
  podSubject,
  strategyName,
} from "@hooklet/core";
import { accountOf, admitPod, isCriticalPod } from "@hooklet/core/rules";
import { namesOf, PendingPreemptions, Preemptor, type Proposal } from "./preemptor.js";
import { repairOf, requirementsText } from "./requirements.js";
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

// `hooklet plan preemption -f POD.yaml`: which pods would be preempted for this pod now.

const SOURCE = "kubernetes.io/config.source";

/**
 * One decision about the pod. `--static` takes it as a pod of the manifest folder, which is critical.
 * @throws NodeAgentError INVALID without a pod, and for other arguments
 */
function planned(ctx: NodeContext, preemptor: Preemptor, strategy: string, input: PlanInput): readonly Decision[] {
  const pod = subjectOf(input);
  const otherPods = [...ctx.pods.active(), ...ctx.pods.awaited()];
  const rejections = admitPod(pod, ctx.node.facts(), accountOf(otherPods));
  const decide = (outcome: string, considered: Decision["considered"] = []): readonly Decision[] => [
    { at: ctx.clock.now(), plugin: ctx.plugin, strategy, subject: podSubject(pod), considered, outcome },
  ];
  const [first] = rejections;
  if (first === undefined) return decide("would be admitted; no pod is evicted");
  const repair = repairOf(pod, rejections);
  if (repair.requirements === undefined) {
    const { message } = repair.rejections[0] ?? first;
    const why = isCriticalPod(pod) ? "No eviction helps" : "It is not critical, so no pod is evicted";
    return decide(`would be rejected: ${message}. ${why}`);
  }
  const proposal = preemptor.propose(pod, repair.requirements, otherPods);
  return decide(outcomeOf(proposal), proposal.considered);
}

function outcomeOf({ selection, requirements }: Proposal): string {
  if (selection.failure !== undefined) return `would be rejected, and no pod evicted: ${selection.failure}`;
  return `would evict ${namesOf(selection.victims)} to free ${requirementsText(requirements)}`;
}

function subjectOf({ pod, arguments: given }: PlanInput): Pod {
  const unknown = Object.keys(given).find((name) => name !== "static");
  if (unknown !== undefined)
    throw new NodeAgentError("INVALID", `plan preemption: expected --static or nothing, found --${unknown}.`);
  if (pod === undefined) throw new NodeAgentError("INVALID", "plan preemption: expected -f POD.yaml, found no pod.");
  if (given.static !== "true") return pod;
  return { ...pod, metadata: { ...pod.metadata, annotations: { ...pod.metadata.annotations, [SOURCE]: "file" } } };
}
