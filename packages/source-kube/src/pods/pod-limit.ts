/** How many pods, and bytes of them, of an API server are kept: one without an end costs the node its agent otherwise. */

import { unlessAborted } from "@hooklet/core/subsystem";
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

/** Writes under way, one at a time per pod: of two writes the server could apply the older one last. */
export class UnderWay {
  /** Uid -> ends with the write, and never rejects. */
  readonly #writes = new Map<string, Promise<unknown>>();

  has(uid: string): boolean {
    return this.#writes.has(uid);
  }

  /**
   * Begins the work at once, or when that of the same pod has ended. Settles as the work does; rejects with the signal's reason where
   * that aborts before it has begun.
   */
  async run(uid: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    for (let before = this.#writes.get(uid); before !== undefined; before = this.#writes.get(uid)) {
      await unlessAborted(signal, before);
    }
    signal.throwIfAborted();
    const write = work();
    const end = () => this.#writes.delete(uid);
    this.#writes.set(uid, write.then(end, end));
    await write;
  }
}
