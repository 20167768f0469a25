import { foundText, type NodeAgentError, tapOutput } from "@hooklet/utils";
import { Stage } from "./hooks.js";
import type { TapRecord } from "./tap-record.js";
import { AdmissionVerdict, type Rejection } from "./verdict.js";

/** `OutOfvendor.example/gpu` is one: the kubelet puts the name of the resource in. */
const REASON = /^[A-Za-z][A-Za-z0-9]*([./_-][A-Za-z0-9]+)*$/;

/** The verdict that a podAdmit tap leaves, which got `given`: checked, and its new rejections carry the plugin's name. */
export function checkVerdict(
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
export function rejectFor(record: TapRecord, verdict: AdmissionVerdict, error: Error): AdmissionVerdict {
  const { plugin } = record.place;
  return verdict.reject({ reason: "UnexpectedAdmissionError", message: error.message, plugin });
}
