/** ConfigMaps and Secrets of a manifest. */
import type * as v1 from "kubernetes-types/core/v1.js";
import type { FieldFaults } from "./field-faults.js";
import { FieldPath } from "./path.js";
import { metadataRule } from "./rules/metadata.js";
import { flag, map, object, type Shape, text } from "./shape.js";

interface Named {
  readonly metadata: v1.ConfigMap["metadata"] & { readonly name: string; readonly namespace: string };
}

/** With its name and namespace; of a Secret `data` alone, as the API server keeps it. */
export type ApiObject =
  | (v1.ConfigMap & Named & { readonly kind: "ConfigMap" })
  | (v1.Secret & Named & { readonly kind: "Secret" });

/** Either kind, as far as its shape tells. */
export type ShapedObject = Omit<v1.ConfigMap & Omit<v1.Secret, "kind">, "kind">;

/** Bytes of all values of one object. */
const MAX_BYTES = 1024 * 1024;
const MAX_KEY = 253;
const KEY = /^[-._a-zA-Z0-9]+$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

const values = map(text);

export function objectShape(kind: ApiObject["kind"], metadata: Shape): Shape {
  const common = { apiVersion: text, kind: text, metadata, immutable: flag };
  return kind === "ConfigMap"
    ? object({ ...common, data: values, binaryData: values })
    : object({ ...common, data: values, stringData: values, type: text });
}

/** Of the right shape; stringData is written into data, as the API server does. */
export function finishedObject(shaped: ShapedObject, kind: ApiObject["kind"]): ApiObject {
  const { metadata = {}, stringData, ...rest } = shaped;
  const named = { ...metadata, name: metadata.name ?? "", namespace: metadata.namespace || "default" };
  const { uid: _, ...own } = named;
  const base = { ...rest, apiVersion: "v1", kind, metadata: own };
  if (kind === "ConfigMap") return base as ApiObject;
  const written = Object.entries(stringData ?? {}).map(([key, value]) => [key, Buffer.from(value).toString("base64")]);
  const data = { ...rest.data, ...Object.fromEntries(written) };
  return { ...base, type: rest.type || "Opaque", data } as ApiObject;
}

/** The API server's rules (ValidateConfigMap, ValidateSecret). */
export function validateObject(one: ApiObject, faults: FieldFaults): void {
  metadataRule(one.metadata, FieldPath.root.child("metadata"), faults);
  const data = FieldPath.root.child("data");
  let bytes = 0;
  const check = (key: string, text: string, path: FieldPath, isBase64: boolean): void => {
    const at = path.key(key);
    if (key.length > MAX_KEY) faults.invalid(at, key, `must be no more than ${MAX_KEY} characters`);
    else if (key === "." || key.startsWith("..")) faults.invalid(at, key, `must not be '.' or begin with '..'`);
    else if (!KEY.test(key)) {
      faults.invalid(
        at,
        key,
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name', or 'KEY_NAME', or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
      );
    }
    if (isBase64 && !BASE64.test(text)) faults.invalid(at, "", "must be base64");
    bytes += isBase64 ? Buffer.byteLength(text, "base64") : Buffer.byteLength(text);
  };
  for (const [key, text] of Object.entries(one.data ?? {})) check(key, text, data, one.kind === "Secret");
  const binary = one.kind === "ConfigMap" ? (one.binaryData ?? {}) : {};
  for (const [key, text] of Object.entries(binary)) {
    check(key, text, FieldPath.root.child("binaryData"), true);
    if (Object.hasOwn(one.data ?? {}, key))
      faults.invalid(data.key(key), key, "duplicate of key present in binaryData");
  }
  if (bytes > MAX_BYTES) faults.tooLong(data, MAX_BYTES);
}
