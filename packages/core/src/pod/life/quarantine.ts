/** Pods that nobody handles any more, since doing so ended the agent again and again. */
export interface Quarantine {
  /** Why the pod is quarantined; undefined for all others. */
  quarantineReason(uid: string): string | undefined;
  /** The pod is not wanted any more, or is another one. */
  forget(uid: string): void;
}
