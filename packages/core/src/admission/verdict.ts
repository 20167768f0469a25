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

type UndoAs = (run: Undo) => Undo;

/** What taps give to the pod as a whole. */
export interface PodContributions {
  /** The pod's cgroup (cgroupfs path), made by whoever contributes it. */
  readonly cgroupParent?: string;
}

/** What all verdicts of one admission share. */
interface Taken {
  readonly undos: Undo[];
  late?: (run: Undo) => void;
}

/** Immutable but for `undo`. A tap returns a new verdict, or nothing to leave it as it is. */
export class AdmissionVerdict {
  readonly #taken: Taken;
  readonly #undoAs: UndoAs;

  private constructor(
    readonly rejections: readonly Rejection[],
    taken: Taken,
    readonly contributions: PodContributions = {},
    undoAs: UndoAs = (run) => run,
  ) {
    this.#taken = taken;
    this.#undoAs = undoAs;
  }

  static admitted(): AdmissionVerdict {
    return new AdmissionVerdict([], { undos: [] });
  }

  /** Whether both are about the same admission, so that no undo is lost from one to the other. */
  succeeds(earlier: AdmissionVerdict): boolean {
    return this.#taken === earlier.#taken;
  }

  get admitted(): boolean {
    return this.rejections.length === 0;
  }

  /** Adds a reason against the pod. The first one is the one that is reported. */
  reject(rejection: Rejection): AdmissionVerdict {
    return new AdmissionVerdict([...this.rejections, rejection], this.#taken, this.contributions, this.#undoAs);
  }

  /** Replaces all reasons: for stage `repair`, which clears shortfalls, or puts its own failure first. */
  withRejections(rejections: readonly Rejection[]): AdmissionVerdict {
    return new AdmissionVerdict(rejections, this.#taken, this.contributions, this.#undoAs);
  }

  /** Adds to what the pod gets; the guard refuses to overwrite what an earlier tap has set. */
  contribute(contributions: PodContributions): AdmissionVerdict {
    return new AdmissionVerdict(
      this.rejections,
      this.#taken,
      { ...this.contributions, ...contributions },
      this.#undoAs,
    );
  }

  /** The same verdict as the guard gives it to one tap: each of its undos goes through `undoAs`. */
  withUndo(undoAs: UndoAs): AdmissionVerdict {
    return new AdmissionVerdict(this.rejections, this.#taken, this.contributions, undoAs);
  }

  /**
   * Registers what makes or finds something before each sandbox of the pod, for example its cgroup. Unlike a failure of the tap
   * a failure of this is retried, with the sandbox.
   */
  beforeSandbox(run: BeforeSandbox): void {
    this.#taken.beforeSandbox.push(this.#ownAs(run));
  }

  /** Registers what gives back something that a tap took for the pod. Run in reverse order on a final rejection. */
  undo(run: Undo): void {
    const undo = this.#undoAs(run);
    if (this.#taken.late) this.#taken.late(undo);
    else this.#taken.undos.push(undo);
  }

  /**
   * The undos, last registered first. For the core, on a final rejection. From then on `late` is called with every
   * undo that still comes, from a tap that ran past its deadline: run it as well.
   */
  undos(late?: (run: Undo) => void): readonly Undo[] {
    if (late) this.#taken.late = late;
    return this.#taken.undos.toReversed();
  }
}
