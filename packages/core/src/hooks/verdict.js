/** What `podAdmit` is about: the reasons against a pod, and what has been taken for it so far. */
import { invalid } from "../errors.js";

/** Outside of any tap: nobody is named and nothing is bounded. */
const unbound = {
  undo: (run) => run,
  beforeSandbox: (run) => async (plan, signal) => run(plan.as("core", signal)),
};
/** Immutable but for `undo` and `beforeSandbox`. A tap returns a new verdict, or nothing to leave it as it is. */
export class AdmissionVerdict {
  rejections;
  #taken;
  #binding;
  constructor(rejections, taken, binding = unbound) {
    this.rejections = rejections;
    this.#taken = taken;
    this.#binding = binding;
  }
  static admitted() {
    return new AdmissionVerdict([], { undos: [], beforeSandbox: [] });
  }
  /** Whether both are about the same admission, so that no undo is lost from one to the other. */
  succeeds(earlier) {
    return this.#taken === earlier.#taken;
  }
  get admitted() {
    return this.rejections.length === 0;
  }
  /** Adds a reason against the pod. The first one is the one that is reported. */
  reject(rejection) {
    return new AdmissionVerdict([...this.rejections, rejection], this.#taken, this.#binding);
  }
  /**
   * Puts the admission off: later taps are not asked, what was taken is given back, the pod stays Pending with this reason, and
   * all taps are asked again later. Other pods do not wait for it. Of two postponements the first one counts.
   */
  postpone(postponement) {
    const { reason, message, retryAfterSeconds: seconds } = postponement;
    if (!/^[A-Z][A-Za-z0-9]*$/.test(reason)) throw invalid("reason of a postponement", "a CamelCase word", reason);
    if (typeof message !== "string" || message === "")
      throw invalid("message of a postponement", "a sentence", message);
    if (!(seconds >= 0.1 && seconds <= 3600)) throw invalid("retryAfterSeconds", "0.1 to 3600", seconds);
    this.#taken.postponement ??= { reason, message, retryAfterSeconds: seconds };
    return this;
  }
  get postponement() {
    return this.#taken.postponement;
  }
  /** Replaces all reasons: for stage `repair`, which clears shortfalls, or puts its own failure first. */
  withRejections(rejections) {
    return new AdmissionVerdict(rejections, this.#taken, this.#binding);
  }
  /** The same verdict as the guard gives it to one tap: what the tap registers goes through `binding`. */
  boundTo(binding) {
    return new AdmissionVerdict(this.rejections, this.#taken, binding);
  }
  /**
   * Registers what makes or finds something before each sandbox of the pod, for example its cgroup: in order of registration,
   * at most 30 s each. Unlike a failure of the tap a failure of this is retried, with the sandbox.
   */
  beforeSandbox(run) {
    if (typeof run !== "function") throw invalid("beforeSandbox", "a function", run);
    this.#taken.beforeSandbox.push(this.#binding.beforeSandbox(run));
  }
  /** What is to be called before each sandbox, in order. For the core, once the pod is admitted. */
  get sandboxSteps() {
    return [...this.#taken.beforeSandbox];
  }
  /** Registers what gives back something that a tap took for the pod. Run in reverse order on a final rejection. */
  undo(run) {
    const undo = this.#binding.undo(run);
    if (this.#taken.late) this.#taken.late(undo);
    else this.#taken.undos.push(undo);
  }
  /**
   * The undos, last registered first. For the core, on a final rejection. From then on `late` is called with every
   * undo that still comes, from a tap that ran past its deadline: run it as well.
   */
  undos(late) {
    if (late) this.#taken.late = late;
    return this.#taken.undos.toReversed();
  }
}
