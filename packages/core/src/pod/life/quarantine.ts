/** Pods that the agent does not handle any more, since handling them ended it again and again. */
export interface Quarantine {
  /** Why the pod is quarantined; undefined for all others. */
  quarantineReason(uid: string): string | undefined;
  /** The pod is not wanted any more, or is another one. */
  forget(uid: string): void;
}
