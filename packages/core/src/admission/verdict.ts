/** What `podAdmit` is about: the reasons against a pod, and what has been taken for it so far. */

/** A resource that the node has too little of. Only such rejections can be repaired (preemption). */
export interface ResourceShortfall {
  /** `cpu` (milli-cores), `memory`, `ephemeral-storage` (bytes), `pods`, hugepages-* (bytes) or an extended resource (count). */
  readonly resource: string;
  readonly requested: number;
  readonly used: number;
  readonly capacity: number;
}

export interface Rejection {
  /** One CamelCase word, the pod's status.reason: `OutOfcpu`, `NodeAffinity`, `UnexpectedAdmissionError`. */
  readonly reason: string;
  /** A sentence; the pod's status.message is "Pod was rejected: " and this. */
  readonly message: string;
  readonly shortfall?: ResourceShortfall;
  /** Who rejects; filled in by the guard. */
  readonly plugin?: string;
}

export type Undo = () => void | Promise<void>;

/** Immutable but for `undo`. A tap returns a new verdict, or nothing to leave it as it is. */
export class AdmissionVerdict {
  readonly #undos: Undo[];

  private constructor(
    readonly rejections: readonly Rejection[],
    undos: Undo[],
  ) {
    this.#undos = undos;
  }

  static admitted(): AdmissionVerdict {
    return new AdmissionVerdict([], []);
  }

  get admitted(): boolean {
    return this.rejections.length === 0;
  }

  /** Adds a reason against the pod. The first one is the one that is reported. */
  reject(rejection: Rejection): AdmissionVerdict {
    return new AdmissionVerdict([...this.rejections, rejection], this.#undos);
  }

  /** Replaces all reasons: for stage `repair`, which clears shortfalls, or puts its own failure first. */
  withRejections(rejections: readonly Rejection[]): AdmissionVerdict {
    return new AdmissionVerdict(rejections, this.#undos);
  }

  /** Registers what gives back something that a tap took for the pod. Run in reverse order on a final rejection. */
  undo(run: Undo): void {
    this.#undos.push(run);
  }

  /** The undos, last registered first. For the core. */
  undos(): readonly Undo[] {
    return this.#undos.toReversed();
  }
}
