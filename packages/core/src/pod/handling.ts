/** The pod for which work is done: kept over timers and sockets that the work began, so that an uncaught error has a pod. */

import { AsyncLocalStorage } from "node:async_hooks";

const scope = new AsyncLocalStorage<string>();

/** Does the work for a pod. */
export function handling<T>(uid: string, work: () => T): T {
  return scope.run(uid, work);
}

/** The uid of the pod for which this runs; undefined for what is no pod's. */
export function handledPod(): string | undefined {
  return scope.getStore();
}
