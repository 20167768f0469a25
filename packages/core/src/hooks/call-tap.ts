import {
  type Clock,
  foundText,
  type NodeAgentError,
  ownSignal,
  tapFailed,
  tapOutput,
  tapTimeout,
  withDeadline,
} from "@hooklet/utils";
import type { BeforeSandbox, PlanOwners } from "../plan/contract.js";
import { callLater, guardedBeforeSandbox } from "./call-later.js";
import { type PodTerminateEvent, Stage } from "./hooks.js";
import type { GuardOptions, TapOutcome, TapRecord } from "./tap-record.js";
import { AdmissionVerdict, type Rejection, type Undo } from "./verdict.js";

export type Tap = (...args: unknown[]) => unknown;

/** One call of one tap under its rule. Rejects only where the policy is closed and the hook has no verdict to carry it. */
export async function callTap(
  record: TapRecord,
  run: Tap,
  [first, event]: readonly [unknown, unknown?],
  options: GuardOptions,
): Promise<unknown> {
  const { clock } = options;
  const { place, rule } = record;
  if (!record.active) return undefined;
  // A postponed admission is retried: the remaining taps would allocate, or evict pods, for nothing.
  if (record.kind === "podAdmit" && (first as AdmissionVerdict).postponement !== undefined) return undefined;
  const began = clock.monotonic();
  const ended = (outcome: TapOutcome): void => {
    const milliseconds = outcome === "skipped" ? 0 : clock.monotonic() - began;
    record.count(outcome, milliseconds);
    options.onCall?.({ ...place, outcome, milliseconds });
  };
  if (rule.overlap === "skipped" && record.busy > 0) {
    ended("skipped");
    return undefined;
  }

  const call = openCall(record, first, event, clock);
  let raised: NodeAgentError | undefined;
  const late = (): Error => {
    raised = tapTimeout(place, record.deadlineSeconds);
    return raised;
  };
  try {
    record.busy++;
    const work = (async () => run(...call.args))();
    const free = (): void => void record.busy--;
    work.then(free, (error: unknown) => {
      free();
      if (raised?.code === "TAP_TIMEOUT") options.onError(tapFailed(place, error));
    });
    const output = await withDeadline(clock, record.deadlineSeconds * 1000, work, late);
    const checked = checkOutput(record, first, call.args[0], output);
    raised = checked.error;
    if (raised !== undefined) throw raised;
    ended("ok");
    return checked.result;
  } catch (thrown) {
    const error = raised ?? tapFailed(place, thrown);
    if (error.code === "TAP_TIMEOUT") call.abort(error);
    ended(error.code === "TAP_TIMEOUT" ? "timeout" : "error");
    options.onError(error);
    if (record.kind === "podAdmit") return rejectFor(record, first as AdmissionVerdict, error);
    if (rule.policy === "closed") throw error;
    return undefined;
  } finally {
    call.close();
  }
}

function checkOutput(
  record: TapRecord,
  before: unknown,
  given: unknown,
  output: unknown,
): { readonly result?: unknown; readonly error?: NodeAgentError } {
  if (record.rule.output === "verdict") {
    return checkVerdict(record, before as AdmissionVerdict, given as AdmissionVerdict, output);
  }
  if (record.rule.output === "plan" && output !== undefined && output !== given) {
    return { error: tapOutput(record.place, "nothing; change the plan by its methods", foundText(output)) };
  }
  return {};
}

interface Call {
  readonly args: readonly unknown[];
  /** Of the call's own signal: at its deadline. */
  abort(reason: unknown): void;
  /** Ends the view of the plan. */
  close(): void;
}

/** What a tap is given for one call: its own view of verdict or plan, and its own signal. */
function openCall(record: TapRecord, first: unknown, event: unknown, clock: Clock): Call {
  const { place, kind } = record;
  const given = (event ?? first) as { readonly signal?: AbortSignal };
  const mine = ownSignal(given.signal);
  const { abort } = mine;
  const over = { aborted: false };
  const close = (): void => {
    over.aborted = true;
    mine.close();
  };
  const later = (what: string, run: () => unknown) => () => callLater(clock, place, what, run);
  const own = Object.freeze(
    Object.defineProperty({ ...given }, "signal", { enumerable: true, get: () => mine.signal }),
  );
  if (kind === "podTerminate") {
    const { afterStop } = first as PodTerminateEvent;
    return {
      args: [Object.freeze({ ...given, afterStop: (run: () => unknown) => afterStop(later("afterStop", run)) })],
      abort,
      close,
    };
  }
  if (kind === "tick") return { args: [own], abort, close };
  if (kind === "containerStart") return { args: [(first as PlanOwners).as(place.plugin, over), own], abort, close };
  const binding = {
    undo: (run: Undo) => later("undo", run),
    beforeSandbox: (run: BeforeSandbox) => guardedBeforeSandbox(clock, place, run),
  };
  return { args: [(first as AdmissionVerdict).boundTo(binding), own], abort, close };
}

/** `OutOfvendor.example/gpu` is one: the kubelet puts the name of the resource in. */
const REASON = /^[A-Za-z][A-Za-z0-9]*([./_-][A-Za-z0-9]+)*$/;

/** The verdict that a podAdmit tap leaves, which got `given`: checked, and its new rejections carry the plugin's name. */
function checkVerdict(
  record: TapRecord,
  before: AdmissionVerdict,
  given: AdmissionVerdict,
  output: unknown,
): { readonly result: AdmissionVerdict } | { readonly error: NodeAgentError } {
  const refuse = (expected: string, found: string) => ({ error: tapOutput(record.place, expected, found) });
  // Otherwise a rule whose author forgot `return` would admit every pod.
  if ((output === undefined || output === given) && given.hasRejected)
    return refuse("return verdict.reject(...)", "a call of reject() without return");
  if (output === undefined) return { result: before };
  if (!(output instanceof AdmissionVerdict)) return refuse("nothing or a verdict", foundText(output));
  if (!output.succeeds(before)) return refuse("a verdict made from the given one", "one of another admission");

  const known = new Set(before.rejections);
  const kept = new Set(output.rejections);
  if (record.stage !== Stage.repair && before.rejections.some((rejection) => !kept.has(rejection))) {
    return refuse(
      "a verdict that keeps the earlier rejections, which only stage repair may clear",
      `${output.rejections.length} rejections without an earlier one`,
    );
  }
  const wrong = output.rejections.find((rejection) => !isRejection(rejection));
  if (wrong !== undefined) return refuse("rejections {reason: CamelCase word, message}", foundText(wrong));
  if (!record.isPlugin) return { result: output };
  const { plugin } = record.place;
  return { result: output.withRejections(output.rejections.map((one) => (known.has(one) ? one : { ...one, plugin }))) };
}

function isRejection(value: Rejection): boolean {
  return (
    typeof value?.reason === "string" &&
    REASON.test(value.reason) &&
    typeof value.message === "string" &&
    value.message !== ""
  );
}

/** The verdict after a podAdmit tap failed. */
function rejectFor(record: TapRecord, verdict: AdmissionVerdict, error: Error): AdmissionVerdict {
  const { plugin } = record.place;
  return verdict.reject({ reason: "UnexpectedAdmissionError", message: error.message, plugin });
}
