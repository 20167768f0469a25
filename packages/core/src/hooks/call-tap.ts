import type { AdmissionVerdict, Undo } from "../admission/verdict.js";
import { type Clock, withDeadline } from "../clock.js";
import { foundText, type NodeAgentError, tapFailed, tapOutput, tapTimeout } from "../errors.js";
import type { BeforeSandbox, PlanOwners } from "../plan/contract.js";
import { guardedBeforeSandbox } from "./before-sandbox.js";
import { callLater } from "./call-later.js";
import type { PodTerminateEvent } from "./hooks.js";
import { checkVerdict, rejectFor } from "./tap-output.js";
import type { TapOutcome, TapRecord } from "./tap-record.js";

export type Tap = (...args: unknown[]) => unknown;

interface CallOptions {
  readonly clock: Clock;
  onError(error: NodeAgentError): void;
  onCall?(call: {
    readonly plugin: string;
    readonly hook: string;
    readonly tap: string;
    readonly outcome: TapOutcome;
    readonly milliseconds: number;
  }): void;
}

/** One call of one tap under its rule. Rejects only where the policy is closed and the hook has no verdict to carry it. */
export async function callTap(
  record: TapRecord,
  run: Tap,
  args: readonly [unknown, unknown?],
  options: CallOptions,
): Promise<unknown> {
  if (!record.active) return undefined;
  const ended = (outcome: TapOutcome, milliseconds = 0): void => {
    record.count(outcome, milliseconds);
    options.onCall?.({ ...record.place, outcome, milliseconds });
  };
  if (record.rule.overlap === "skipped" && record.busy > 0) {
    ended("skipped");
    return undefined;
  }

  const started = options.clock.monotonic();
  const call = new TapCallScope(record, args, options.clock);
  record.busy++;
  try {
    const output = await bounded(record, () => run(...call.args), options);
    const result = checked(record, args[0], call.args[0], output);
    ended("ok", options.clock.monotonic() - started);
    return result;
  } catch (thrown) {
    const error = isTapError(thrown) ? thrown : tapFailed(record.place, thrown);
    const timedOut = error.code === "TAP_TIMEOUT";
    if (timedOut) call.expire(error);
    ended(timedOut ? "timeout" : "error", options.clock.monotonic() - started);
    options.onError(error);
    if (record.kind === "podAdmit") return rejectFor(record, args[0] as AdmissionVerdict, error);
    if (record.rule.policy === "closed") throw error;
    return undefined;
  } finally {
    call.close();
  }
}

/** The tap's output within its deadline. What ends at once needs no timer: most ticks do. */
async function bounded(record: TapRecord, run: () => unknown, options: CallOptions): Promise<unknown> {
  const free = (): void => {
    record.busy--;
  };
  let work: unknown;
  try {
    work = run();
  } catch (error) {
    free();
    throw error;
  }
  if (!isThenable(work)) {
    free();
    return work;
  }
  let late = false;
  const settled = Promise.resolve(work);
  settled.then(free, (error: unknown) => {
    free();
    if (late) options.onError(tapFailed(record.place, error));
  });
  return withDeadline(options.clock, record.deadlineSeconds * 1000, settled, () => {
    late = true;
    return raised(tapTimeout(record.place, record.deadlineSeconds));
  });
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value;
}

function checked(record: TapRecord, before: unknown, given: unknown, output: unknown): unknown {
  try {
    if (record.rule.output === "verdict") return checkVerdict(record, before as AdmissionVerdict, output);
    if (record.rule.output === "plan" && output !== undefined && output !== given) {
      throw tapOutput(record.place, "nothing; change the plan by its methods", foundText(output));
    }
    return undefined;
  } catch (error) {
    throw raised(error as NodeAgentError);
  }
}

/** Errors of the guard itself, apart from NodeAgentErrors that a tap throws. */
const ownErrors = new WeakSet<object>();

function raised(error: NodeAgentError): NodeAgentError {
  ownErrors.add(error);
  return error;
}

function isTapError(error: unknown): error is NodeAgentError {
  return typeof error === "object" && error !== null && ownErrors.has(error);
}

/** What a tap is given for one call: its own view of a plan, and its own signal, made when it is asked for. */
class TapCallScope {
  readonly args: readonly unknown[];
  /** Ends the view of the plan. */
  readonly #over = { aborted: false };
  readonly #outer: AbortSignal | undefined;
  #own: AbortController | undefined;
  #expired: Error | undefined;
  readonly #forward = (): void => this.#own?.abort(this.#outer?.reason);

  constructor(record: TapRecord, [first, event]: readonly [unknown, unknown?], clock: Clock) {
    const given = (event ?? first) as { readonly signal?: AbortSignal };
    this.#outer = given.signal;
    const own = this.#outer === undefined ? given : this.#withSignal(given);
    const later = (what: string, run: () => unknown) => () => callLater(clock, record.place, what, run);
    if (record.kind === "podTerminate") {
      const { afterStop } = given as PodTerminateEvent;
      this.args = [{ ...given, afterStop: (run: () => unknown) => afterStop(later("afterStop", run)) }];
    } else if (event === undefined) this.args = [own];
    else if (record.rule.output === "verdict") {
      const binding = {
        undo: (run: Undo) => later("undo", run),
        beforeSandbox: (run: BeforeSandbox) => guardedBeforeSandbox(clock, record.place, run),
      };
      this.args = [(first as AdmissionVerdict).boundTo(binding), own];
    } else this.args = [(first as PlanOwners).as(record.place.plugin, this.#over), own];
  }

  /** The deadline has passed. */
  expire(reason: Error): void {
    this.#expired = reason;
    this.#own?.abort(reason);
  }

  close(): void {
    this.#over.aborted = true;
    if (this.#own !== undefined) this.#outer?.removeEventListener("abort", this.#forward);
  }

  /** Most taps never look at the signal, and a controller costs more than the rest of the call. */
  #withSignal(event: object): object {
    const make = (): AbortSignal => this.#makeSignal();
    return {
      ...event,
      get signal() {
        return make();
      },
    };
  }

  #makeSignal(): AbortSignal {
    if (this.#own === undefined) {
      this.#own = new AbortController();
      if (this.#expired !== undefined) this.#own.abort(this.#expired);
      else if (this.#outer?.aborted) this.#forward();
      // After the call nobody would take the listener away; then the deadline is the tap's own affair.
      else if (!this.#over.aborted) this.#outer?.addEventListener("abort", this.#forward, { once: true });
    }
    return this.#own.signal;
  }
}
