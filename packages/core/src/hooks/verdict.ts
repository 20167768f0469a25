/** What `podAdmit` is about: the reasons against a pod, and what has been taken for it so far. */
import { invalid } from "@hooklet/utils";
import type { BeforeSandbox } from "../plan/contract.js";
import type { SandboxPlanBuilder } from "../plan/sandbox-builder.js";

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

/** Not now: something that the pod needs may still come. */
export interface Postponement {
  /** One CamelCase word and a sentence: reason and message of the pod's status while it is Pending. */
  readonly reason: string;
  readonly message: string;
  /** Seconds until the next try, 0.1 to 3600. */
  readonly retryAfterSeconds: number;
}

export type Undo = () => void | Promise<void>;

/** A `BeforeSandbox` under the guard: it carries its plugin's name, its claims and its deadline. */
export type GuardedBeforeSandbox = (plan: SandboxPlanBuilder, signal: AbortSignal) => Promise<void>;

/** How what a tap leaves behind is bound to the tap (the guard's part). */
export interface TapBinding {
  undo(run: Undo): Undo;
  beforeSandbox(run: BeforeSandbox): GuardedBeforeSandbox;
}

/** Outside of any tap: without owner and deadline. */
const unbound: TapBinding = {
  undo: (run) => run,
  beforeSandbox: (run) => async (plan, signal) => run(plan.as("core", signal)),
};

/** What all verdicts of one admission share. */
interface Taken {
  readonly undos: Undo[];
  readonly beforeSandbox: GuardedBeforeSandbox[];
  late?: (run: Undo) => void;
  postponement?: Postponement;
}

/** Immutable but for `undo` and `beforeSandbox`. A tap returns a new verdict, or nothing to leave it as it is. */
export class AdmissionVerdict {
  readonly #taken: Taken;
  readonly #binding: TapBinding;
  #hasRejected = false;

  private constructor(
    /** The rejections so far, each with the plugin that gave it. */
    readonly rejections: readonly Rejection[],
    taken: Taken,
    binding: TapBinding = unbound,
  ) {
    this.#taken = taken;
    this.#binding = binding;
  }

  static admitted(): AdmissionVerdict {
    return new AdmissionVerdict([], { undos: [], beforeSandbox: [] });
  }

  /** Whether both are about the same admission, so that no undo is lost from one to the other. */
  succeeds(earlier: AdmissionVerdict): boolean {
    return this.#taken === earlier.#taken;
  }

  /** Whether no tap has rejected the pod so far. */
  get admitted(): boolean {
    return this.rejections.length === 0;
  }

  /** Rejects the pod with `{reason, message}`; return the verdict that this gives. The pod's status shows the first rejection. */
  reject(rejection: Rejection): AdmissionVerdict {
    this.#hasRejected = true;
    return new AdmissionVerdict([...this.rejections, rejection], this.#taken, this.#binding);
  }

  /** Whether `reject` was called on this verdict. For the guard. */
  get hasRejected(): boolean {
    return this.#hasRejected;
  }

  /**
   * Not now, with `{reason, message, retryAfterSeconds}`: hooklet skips later taps, calls the functions of `undo`, keeps the pod Pending with this reason, and runs all taps again after
   * `retryAfterSeconds` (0.1 to 3600). Other pods do not wait for it. The first postponement counts.
   */
  postpone(postponement: Postponement): AdmissionVerdict {
    const { reason, message, retryAfterSeconds: seconds } = postponement;
    if (!/^[A-Z][A-Za-z0-9]*$/.test(reason)) throw invalid("reason of a postponement", "a CamelCase word", reason);
    if (typeof message !== "string" || message === "")
      throw invalid("message of a postponement", "a sentence", message);
    if (!(seconds >= 0.1 && seconds <= 3600)) throw invalid("retryAfterSeconds", "0.1 to 3600", seconds);
    this.#taken.postponement ??= { reason, message, retryAfterSeconds: seconds };
    return this;
  }

  get postponement(): Postponement | undefined {
    return this.#taken.postponement;
  }

  /** Replaces all rejections; `[]` admits the pod. For stage `repair` only. */
  withRejections(rejections: readonly Rejection[]): AdmissionVerdict {
    return new AdmissionVerdict(rejections, this.#taken, this.#binding);
  }

  /** The same verdict as the guard gives it to one tap: what the tap registers goes through `binding`. */
  boundTo(binding: TapBinding): AdmissionVerdict {
    return new AdmissionVerdict(this.rejections, this.#taken, binding);
  }

  /**
   * Registers a function that core calls before each sandbox of the pod is made, with a plan of the sandbox (cgroup parent, runtime
   * handler, annotations); at most 30 s. If it fails, hooklet does not make the sandbox, and calls it again at the next try.
   */
  beforeSandbox(run: BeforeSandbox): void {
    if (typeof run !== "function") throw invalid("beforeSandbox", "a function", run);
    this.#taken.beforeSandbox.push(this.#binding.beforeSandbox(run));
  }

  /** What is to be called before each sandbox, in order. For the core, once the pod is admitted. */
  get sandboxSteps(): readonly GuardedBeforeSandbox[] {
    return [...this.#taken.beforeSandbox];
  }

  /** Registers a function that releases what the tap reserved for the pod. Core calls it if the pod is rejected in the end, or postponed. */
  undo(run: Undo): void {
    const undo = this.#binding.undo(run);
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
