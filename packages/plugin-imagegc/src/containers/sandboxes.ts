/** Which sandboxes go (evictSandboxes of the kubelet's kuberuntime_gc.go). Pure. */
import { goneBecause, type PodStates } from "./dead.js";

export interface SeenSandbox {
  readonly id: string;
  readonly podUid: string;
  /** When it was created, milliseconds. */
  readonly created: number;
  readonly ready: boolean;
  /** A container belongs to it, dead or alive. */
  readonly hasContainers: boolean;
}

export interface SandboxRemoval<Sandbox> {
  readonly sandbox: Sandbox;
  readonly why: string;
}

/**
 * In the order of their removal, oldest first. Those that are ready or have a container stay; so does the newest of a pod that is
 * still there. Sources need not be ready: what is removed holds nothing. Each is stopped first, and stays if that fails.
 */
export function sandboxesToRemove<Sandbox extends SeenSandbox>(
  sandboxes: readonly Sandbox[],
  pods: Omit<PodStates, "allSourcesReady">,
): readonly SandboxRemoval<Sandbox>[] {
  const byPod = new Map<string, Sandbox[]>();
  for (const sandbox of sandboxes) {
    const own = byPod.get(sandbox.podUid);
    if (own === undefined) byPod.set(sandbox.podUid, [sandbox]);
    else own.push(sandbox);
  }
  return [...byPod].flatMap(([podUid, own]) => {
    const gone = goneBecause(podUid, { ...pods, allSourcesReady: true });
    own.sort((a, b) => b.created - a.created);
    const why = gone ?? "its pod has a newer sandbox";
    return own
      .slice(gone === undefined ? 1 : 0)
      .reverse()
      .filter(({ ready, hasContainers }) => !ready && !hasContainers)
      .map((sandbox) => ({ sandbox, why }));
  });
}
