/** How many pods, and bytes of them, of an API server are kept: one without an end costs the node its agent otherwise. */

import type { ApiPod } from "./api-pod.js";

/** Far more than a node can run. */
const MAX_PODS = 10_000;
/** As JSON. */
const MAX_BYTES = 64 * 1024 * 1024;

export class PodLimit {
  /** Uid -> bytes. */
  readonly #sizes = new Map<string, number>();
  #bytes = 0;
  #isReported = false;

  /** `full`: called once each time the limit is reached. */
  constructor(private readonly full: (message: string) => void) {}

  /** The whole list is read again. */
  clear(): void {
    this.#sizes.clear();
    this.#bytes = 0;
    this.#isReported = false;
  }

  /** Counts a pod; false: the limit is reached. */
  take(pod: ApiPod): boolean {
    const { uid } = pod.metadata;
    const size = Buffer.byteLength(JSON.stringify(pod));
    const before = this.#sizes.get(uid);
    const bytes = this.#bytes + size - (before ?? 0);
    if (this.#sizes.size + (before === undefined ? 1 : 0) > MAX_PODS || bytes > MAX_BYTES) {
      if (!this.#isReported) {
        this.full(
          `the API server has more than ${MAX_PODS} pods or ${MAX_BYTES / 1024 / 1024} MiB of them for this node: hooklet leaves out what comes beyond that`,
        );
      }
      this.#isReported = true;
      return false;
    }
    this.#sizes.set(uid, size);
    this.#bytes = bytes;
    return true;
  }

  leave(uid: string): void {
    this.#bytes -= this.#sizes.get(uid) ?? 0;
    this.#sizes.delete(uid);
  }
}
