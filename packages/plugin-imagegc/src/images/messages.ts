/** The kubelet's messages (pkg/kubelet/images/image_gc_manager.go, release 1.36). Pure. */
import { formatDuration } from "@hooklet/core/subsystem";
import { formatSize } from "./image-policy.js";

/** Several errors as one (apimachinery's NewAggregate): each text once, in brackets when there are more. */
export function aggregate(errors: readonly string[]): string {
  const texts = [...new Set(errors)];
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
}

/** Truncates a text: runtimes set no limit, and each of 10 000 images may fail with another text. */
export function beginning(text: string, longest: number): string {
  return text.length <= longest ? text : `${text.slice(0, longest)}... (${text.length - longest} characters more)`;
}

/** Go's largest int64: what "all of it" is when the kubelet writes it. */
const UNLIMITED = "9223372036854775807";

export function deletionFailed(wanted: number, freed: number, errors: readonly string[]): string {
  const bytes = Number.isFinite(wanted) ? String(wanted) : UNLIMITED;
  return `wanted to free ${bytes} bytes, but freed ${freed} bytes space with errors in image deletion: ${aggregate(errors)}`;
}

/** `maxAge` in milliseconds. */
export function oldDeletionFailed(maxAge: number, errors: readonly string[]): string {
  const age = formatDuration(maxAge / 1000);
  return `wanted to free images older than ${age}, encountered errors in image deletion: ${aggregate(errors)}`;
}

export const invalidCapacity = "invalid capacity 0 on image filesystem";

export function notEnoughFreed(usedPercent: number, capacityBytes: number, freed: number): string {
  return [
    `Insufficient free disk space on the node's image filesystem (${usedPercent}% of ${formatSize(capacityBytes)} used).`,
    `Failed to free sufficient space by deleting unused images (freed ${freed} bytes).`,
    "Investigate disk usage, as it could be used by active images, logs, volumes, or other data.",
  ].join(" ");
}
