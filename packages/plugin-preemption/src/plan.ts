/** `hooklet plan preemption -f POD.yaml`: which pods would be preempted for this pod now. */

import { type Decision, NodeAgentError, type NodeContext, type PlanInput, type Pod, podSubject } from "@hooklet/core";
import { accountOf, admitPod, isCriticalPod } from "@hooklet/core/rules";
import { namesOf, type Preemptor, type Proposal } from "./preemptor.js";
import { repairOf, requirementsText } from "./requirements.js";

const SOURCE = "kubernetes.io/config.source";

/**
 * One decision about the pod. `--static` takes it as a pod of the manifest folder, which is critical.
 * @throws NodeAgentError INVALID without a pod, and for other arguments
 */
export function planned(
  ctx: NodeContext,
  preemptor: Preemptor,
  strategy: string,
  input: PlanInput,
): readonly Decision[] {
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
