/** Files of the downward API (the kubelet's downwardapi.CollectData). Pure. */
import { errorText, type Pod, type Resources } from "@hooklet/core";
import { metadataValue, resourceValue } from "@hooklet/core/rules";
import type { DownwardAPIVolumeFile } from "kubernetes-types/core/v1.js";
import { aggregate, type FilePayload, type Payload, PayloadError } from "./payload.js";

/**
 * @param allocatable stands in for limits that a container does not set
 * @throws PayloadError naming every item that has no value
 */
export function downwardPayload(
  pod: Pod,
  items: readonly DownwardAPIVolumeFile[],
  mode: number,
  allocatable: Resources,
): Payload {
  const files = new Map<string, FilePayload>();
  const errors: Error[] = [];
  for (const { path, mode: own, fieldRef, resourceFieldRef } of items) {
    try {
      const text =
        fieldRef === undefined
          ? resourceValue(pod, undefined, resourceFieldRef ?? { resource: "" }, allocatable)
          : metadataValue(pod, fieldRef.fieldPath);
      files.set(path, { data: Buffer.from(text), mode: own ?? mode });
    } catch (error) {
      errors.push(new PayloadError(errorText(error)));
    }
  }
  const error = aggregate(errors);
  if (error !== undefined) throw error;
  return files;
}
