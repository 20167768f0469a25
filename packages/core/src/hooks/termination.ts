/** Pure. */

/** Why a pod is being stopped. Set once: the first cause stays, later ones are ignored. */
export type TerminationCause =
  /** The manifest was removed, or the pod was deleted. */
  | { readonly kind: "deleted" }
  /** The manifest changed; the new pod starts when this one has ended. */
  | { readonly kind: "replaced" }
  /** A plugin evicted it (ctx.pods.evict); status Failed with this reason and message. */
  | {
      readonly kind: "evicted";
      readonly by: string;
      readonly reason: string;
      readonly message: string;
      readonly condition?: { readonly type: string; readonly reason: string; readonly message: string };
      /** False: forgotten when the agent restarts; a pod that its source still wants then starts again. Default true. */
      readonly lasting?: boolean;
    }
  /** activeDeadlineSeconds passed; Failed, DeadlineExceeded. */
  | { readonly kind: "deadline" }
  /** The runtime has it, no source wants it. */
  | { readonly kind: "orphaned" }
  /** The agent tears everything down (`run --once`, Ctrl-C on a terminal). */
  | { readonly kind: "shutdown" }
  /** Admission refused a pod that still ran from before a restart of the agent. */
  | { readonly kind: "rejected"; readonly reason: string; readonly message: string }
  /** Its containers ended and its restart policy wants no more of them. */
  | { readonly kind: "completed" };

/** After these the pod is forgotten; after the others it stays listed with its final status until it is deleted. */
export function isRemoval(cause: TerminationCause): boolean {
  return ["deleted", "replaced", "orphaned", "shutdown"].includes(cause.kind);
}
