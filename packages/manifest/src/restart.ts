/** The restart policy of a container: its own rules, its own policy, its pod's (the kubelet's ContainerShouldRestart). Pure. */
import { type Container, initContainers, type Pod, type RestartPolicy, restartPolicy } from "./pod.js";

/** As in the API; kubernetes-types is older. */
export interface ContainerRestartRule {
  readonly action: "Restart" | "RestartAllContainers";
  readonly exitCodes?: { readonly operator: "In" | "NotIn"; readonly values?: readonly number[] };
}

export function restartPolicyRules(container: Container): readonly ContainerRestartRule[] {
  return (container as { readonly restartPolicyRules?: readonly ContainerRestartRule[] }).restartPolicyRules ?? [];
}

/** The first rule for this exit code; undefined: none is for it, and the policy counts. */
export function matchingRestartRule(container: Container, exitCode: number): ContainerRestartRule | undefined {
  return restartPolicyRules(container).find(({ exitCodes }) => {
    if (exitCodes === undefined) return false;
    return (exitCodes.values ?? []).includes(exitCode) === (exitCodes.operator === "In");
  });
}

/** The policy that counts for a main or init container without its rules: its own, else its pod's. */
export function containerRestartPolicy(pod: Pod, container: Container): RestartPolicy {
  return (container.restartPolicy as RestartPolicy | undefined) ?? restartPolicy(pod);
}

/** Whether a main or init container is started again after this exit code. */
export function shouldRestart(pod: Pod, container: Container, exitCode: number): boolean {
  if (matchingRestartRule(container, exitCode) !== undefined) return true;
  const policy = containerRestartPolicy(pod, container);
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}

/** One of its containers has a rule that restarts all of them. */
export function mayRestartAllContainers(pod: Pod): boolean {
  return [...initContainers(pod), ...pod.spec.containers].some((container) =>
    restartPolicyRules(container).some(({ action }) => action === "RestartAllContainers"),
  );
}
