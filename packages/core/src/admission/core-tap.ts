/** Core's own predicates on `podAdmit`, between the plugins' checks (allocation) and their repairs (preemption). */

import type { AskedRoot, Runtime } from "@hooklet/cri-api";
import { allContainers, type Container, ephemeralContainers, type Pod } from "@hooklet/manifest";
import { NodeAgentError } from "@hooklet/utils";
import { type NodeHooks, Stage } from "../hooks/hooks.js";
import type { NodeFacts } from "../plugin/contract/node.js";
import { RunningAccount } from "./account.js";
import { type AdmitOptions, admitPod, forbiddenSysctl } from "./admit.js";
import { keepsNodeFiles, restricted, restrictedContainer, type SourceRestrictions } from "./restrictions.js";

export interface CoreTapOptions extends Pick<AdmitOptions, "missingExtendedResources"> {
  /** The pod with what it holds already, where a plugin says that it waits for other amounts. */
  readonly holding?: (pod: Pod) => Pod;
}

/** The name that the guard gives core's own tap. */
const CORE_TAP = "core";

/**
 * Rejects pods that ask for what their source forbids, before anything is allocated for them. Running pods are checked too, and
 * stopped; no repair helps there. Ephemeral containers and images may arrive after admission, so containers are checked
 * again before they start.
 */
export function tapRestrictions(
  hooks: Pick<NodeHooks, "podAdmit" | "containerStart">,
  sourceOf: (uid: string) => string | undefined,
  restrictions: SourceRestrictions,
  runtime: Pick<Runtime, "reachesNodeFiles">,
): void {
  const reachingOf = async (
    pod: Pod,
    source: string | undefined,
    containers: readonly Container[],
  ): Promise<readonly string[]> => {
    if (runtime.reachesNodeFiles === undefined || !keepsNodeFiles(source, restrictions)) return [];
    const found = await Promise.all(
      containers.map(async (container) => {
        const what = await runtime.reachesNodeFiles?.(askedRoot(pod, container));
        return what === undefined ? [] : [`${what} of container ${container.name}`];
      }),
    );
    return found.flat();
  };
  hooks.podAdmit.tapPromise({ name: CORE_TAP, stage: Stage.check - 1 }, async (verdict, { pod, running }) => {
    const source = sourceOf(pod.metadata.uid);
    const names = running.map(({ metadata }) => metadata.name);
    const debugging = ephemeralContainers(pod).filter(({ name }) => names.includes(name));
    // A runtime that does not answer must not end a pod: it is asked again before each start, and there it has to answer.
    const reaching = await reachingOf(pod, source, [...allContainers(pod), ...debugging]).catch(() => []);
    const rejection = restricted(pod, source, restrictions, names, reaching);
    return rejection === undefined ? verdict : verdict.reject(rejection);
  });
  hooks.containerStart.tapPromise({ name: CORE_TAP, stage: Stage.check - 1 }, async (plan, { pod, container }) => {
    const source = sourceOf(pod.metadata.uid);
    const reaching = await reachingOf(pod, source, [container]);
    if (reaching.length === 0 && !ephemeralContainers(pod).includes(container)) return plan;
    const rejection = restrictedContainer(container, source, restrictions, reaching);
    if (rejection !== undefined) throw new NodeAgentError("INVALID", `${rejection.reason}: ${rejection.message}`);
    return plan;
  });
}

function askedRoot(pod: Pod, { image, securityContext }: Container): AskedRoot {
  return {
    image: image ?? "",
    runAsUser: securityContext?.runAsUser ?? pod.spec.securityContext?.runAsUser,
    noNewPrivs: securityContext?.allowPrivilegeEscalation === false,
    ownProcesses: pod.spec.hostPID !== true && pod.spec.shareProcessNamespace !== true,
  };
}

/** Refuses sysctls that are neither safe nor allowed by the node. No repair helps there. */
export function tapSysctls(hooks: Pick<NodeHooks, "podAdmit">, allowed: readonly string[]): void {
  hooks.podAdmit.tap({ name: CORE_TAP, stage: Stage.check - 1 }, (verdict, { pod }) => {
    const rejection = forbiddenSysctl(pod, allowed);
    return rejection === undefined ? verdict : verdict.reject(rejection);
  });
}

/**
 * Taps core's predicates. `facts` is called at every admission: device plugins come and go. Rejections are added after
 * those of the checks, since the first one is reported. No scheduler has seen the pod, so a pod that asks for an extended
 * resource that the node does not have is rejected; the kubelet would run it without.
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
      // A running pod already has what it asks for; its resource is not declared yet because the device plugin registers later.
      const missingExtendedResources = runs ? "drop" : (options.missingExtendedResources ?? "reject");
      const held = runs ? (options.holding?.(pod) ?? pod) : pod;
      // Labels and taints say what may come here. A restart of the agent is no reason to stop what came before they changed.
      const how = { missingExtendedResources, skipIgnorable: isTakenOver } as const;
      const rejections = admitPod(held, facts(), account.update(otherPods), how);
      return rejections.reduce((result, rejection) => result.reject(rejection), verdict);
    },
  );
}
