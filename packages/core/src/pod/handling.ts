/** Which pod the agent works for at the moment, and which it handles no more. */

import { AsyncLocalStorage } from "node:async_hooks";

// The pod for which work is done: kept over timers and sockets that the work began, so that an uncaught error has a pod.

const scope = new AsyncLocalStorage<string>();

/** Does the work for a pod. */
export function handling<T>(uid: string, work: () => T): T {
  return scope.run(uid, work);
}

/** The uid of the pod for which this runs; undefined for what is no pod's. */
export function handledPod(): string | undefined {
  return scope.getStore();
}

/** Pods that the agent does not handle any more, since handling them ended it again and again. */
export interface Quarantine {
  /** Why the pod is quarantined; undefined for all others. */
  quarantineReason(uid: string): string | undefined;
  /** The pod is not wanted any more, or is another one. */
  forget(uid: string): void;
}
