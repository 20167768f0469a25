import type { ObjectMeta } from "kubernetes-types/meta/v1.js";
import type { FieldFaults } from "../field-faults.js";
import { dns1123Label, dns1123Subdomain, labelValue, MAX_ANNOTATION_BYTES, podUid, qualifiedName } from "../names.js";
import type { FieldPath } from "../path.js";
import { ConfigAnnotations } from "../pod.js";
import type { Rule } from "./rule.js";

export const metadataRule: Rule<ObjectMeta> = (metadata, path, faults) => {
  const { name = "", namespace = "", uid, labels = {}, annotations = {} } = metadata;
  if (name === "") faults.required(path.child("name"));
  else faults.each(path.child("name"), name, dns1123Subdomain(name));
  if (namespace !== "") faults.each(path.child("namespace"), namespace, dns1123Label(namespace));
  if (uid !== undefined && uid !== "") faults.each(path.child("uid"), uid, podUid(uid));
  labelsRule(labels, path.child("labels"), faults);
  annotationsRule(annotations, path.child("annotations"), faults);
};

export const labelsRule: Rule<Readonly<Record<string, string>>> = (labels, path, faults) => {
  for (const [key, value] of Object.entries(labels)) {
    faults.each(path, key, qualifiedName(key));
    faults.each(path, value, labelValue(value));
  }
};

function annotationsRule(annotations: Readonly<Record<string, string>>, path: FieldPath, faults: FieldFaults): void {
  let bytes = 0;
  for (const [key, value] of Object.entries(annotations)) {
    faults.each(path, key, qualifiedName(key.toLowerCase()));
    bytes += Buffer.byteLength(key) + Buffer.byteLength(value);
  }
  if (bytes > MAX_ANNOTATION_BYTES) faults.tooLong(path, MAX_ANNOTATION_BYTES);
  if (annotations[ConfigAnnotations.mirror] !== undefined) {
    faults.forbidden(
      path.key(ConfigAnnotations.mirror),
      "it marks the API server's copy of a static pod, never a pod to run",
    );
  }
}
