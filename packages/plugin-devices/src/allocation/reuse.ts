/** Devices of a pod's init containers that its later containers may reuse. Kept for one pod at a time. */
export class ReusableDevices {
  #podUid: string | undefined;
  #resources = new Map<string, Set<string>>();

  /** What was kept for another pod is dropped. */
  begin(podUid: string): void {
    if (this.#podUid === podUid) return;
    this.#podUid = podUid;
    this.#resources = new Map();
  }

  of(podUid: string, resource: string): ReadonlySet<string> {
    return (podUid === this.#podUid ? this.#resources.get(resource) : undefined) ?? NONE;
  }

  /** An init container that ends leaves its devices to those after it. */
  add(resource: string, ids: readonly string[]): void {
    const kept = this.#resources.get(resource) ?? new Set();
    for (const id of ids) kept.add(id);
    this.#resources.set(resource, kept);
  }

  /** A container that stays keeps them. */
  remove(resource: string, ids: readonly string[]): void {
    for (const id of ids) this.#resources.get(resource)?.delete(id);
  }

  /** The pods for which something is kept. */
  get podUids(): readonly string[] {
    return this.#podUid === undefined ? [] : [this.#podUid];
  }
}

const NONE: ReadonlySet<string> = new Set();
