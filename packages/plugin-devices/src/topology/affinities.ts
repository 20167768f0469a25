/** The NUMA nodes that the topology manager chose: pod uid -> container. */
export class Affinities {
  readonly #pods = new Map<string, Map<string, readonly number[]>>();

  get(podUid: string, container: string): readonly number[] | undefined {
    return this.#pods.get(podUid)?.get(container);
  }

  /** Undefined: any. */
  set(podUid: string, container: string, nodes: readonly number[] | undefined): void {
    const own = this.#pods.get(podUid) ?? new Map<string, readonly number[]>();
    if (nodes === undefined) own.delete(container);
    else own.set(container, nodes);
    if (own.size > 0) this.#pods.set(podUid, own);
    else this.#pods.delete(podUid);
  }

  delete(podUid: string): void {
    this.#pods.delete(podUid);
  }

  ofPod(podUid: string): readonly (readonly [container: string, nodes: readonly number[]])[] {
    return [...(this.#pods.get(podUid) ?? [])];
  }
}
