/** Whether a container that has ended comes back: then its workers go on (the kubelet's ContainerRestartRules). Pure. */
export interface EndedContainer {
  readonly exitCode: number;
  /** A restartPolicy of its own: sidecars have `Always`. */
  readonly containerPolicy?: string;
  readonly podPolicy: string;
}

/** `restartRules: false`: the rule of older kubelets, which looked for the policy Never alone. */
export function willRestart({ exitCode, containerPolicy, podPolicy }: EndedContainer, restartRules = true): boolean {
  const policy = containerPolicy ?? podPolicy;
  if (!restartRules) return policy !== "Never";
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}
