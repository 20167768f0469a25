/** Core's own predicates on `podAdmit`, between the plugins' checks (allocation) and their repairs (preemption). */
import { ephemeralContainers, type Pod } from "@hooklet/manifest";
import { NodeAgentError } from "../errors.js";
import { type NodeHooks, Stage } from "../hooks/hooks.js";
import type { NodeFacts } from "../plugin/contract/node-facts.js";
import { RunningAccount } from "./account.js";
import { type AdmitOptions, admitPod } from "./admit.js";
import { restricted, restrictedContainer, type SourceRestrictions } from "./restrictions.js";
import { forbiddenSysctl } from "./sysctls.js";

export interface CoreTapOptions extends Pick<AdmitOptions, "missingExtendedResources"> {
  /** The pod with what it holds already, where a plugin says that it waits for other amounts. */
  readonly holding?: (pod: Pod) => Pod;
}

/** The name that the guard gives core's own tap. */
const CORE_TAP = "core";

/**
 * Refuses what pods of a source may not ask for, before anybody takes anything for them; what runs already is refused as well, and
 * stopped. No repair helps there. Ephemeral containers come when the pod is long admitted: they are refused when they are to start.
 */
export function tapRestrictions(
  hooks: Pick<NodeHooks, "podAdmit" | "containerStart">,
  sourceOf: (uid: string) => string | undefined,
  restrictions: SourceRestrictions,
): void {
  hooks.podAdmit.tap({ name: CORE_TAP, stage: Stage.check - 1 }, (verdict, { pod, running }) => {
    const names = running.map(({ metadata }) => metadata.name);
    const rejection = restricted(pod, sourceOf(pod.metadata.uid), restrictions, names);
    return rejection === undefined ? verdict : verdict.reject(rejection);
  });
  hooks.containerStart.tap({ name: CORE_TAP, stage: Stage.check - 1 }, (plan, { pod, container }) => {
    if (!ephemeralContainers(pod).includes(container)) return plan;
    const rejection = restrictedContainer(container, sourceOf(pod.metadata.uid), restrictions);
    if (rejection !== undefined) throw new NodeAgentError("INVALID", `${rejection.reason}: ${rejection.message}`);
    return plan;
  });
}

/** Refuses sysctls that are neither safe nor allowed by the node. No repair helps there. */
export function tapSysctls(hooks: Pick<NodeHooks, "podAdmit">, allowed: readonly string[]): void {
  hooks.podAdmit.tap({ name: CORE_TAP, stage: Stage.check - 1 }, (verdict, { pod }) => {
    const rejection = forbiddenSysctl(pod, allowed);
    return rejection === undefined ? verdict : verdict.reject(rejection);
  });
}

/**
 * Taps core's predicates. `facts` is asked at every admission: device plugins come and go. Rejections are added behind
 * those of the checks, since the first one is reported. No scheduler has looked at the pod, so that one which asks for an
 * extended resource that the node does not have is refused; a kubelet would run it without.
 */
export function tapPredicates(
  hooks: Pick<NodeHooks, "podAdmit">,
  facts: () => NodeFacts | undefined,
  options: CoreTapOptions = {},
): void {
  const account = new RunningAccount();
  hooks.podAdmit.tap(
    { name: CORE_TAP, stage: Stage.predicates },
    (verdict, { pod, otherPods, running, isTakenOver }) => {
      const runs = running.length > 0;
      // Who runs already has what it asks for: its resource is only not declared yet, by a device plugin that comes later.
      const missingExtendedResources = runs ? "drop" : (options.missingExtendedResources ?? "reject");
      const held = runs ? (options.holding?.(pod) ?? pod) : pod;
      // Labels and taints say what may come here. A restart of the agent is no reason to stop what came before they changed.
      const how = { missingExtendedResources, skipIgnorable: isTakenOver } as const;
      const rejections = admitPod(held, facts(), account.update(otherPods), how);
      return rejections.reduce((result, rejection) => result.reject(rejection), verdict);
    },
  );
}
