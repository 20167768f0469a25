import type {
  ConfigMapKeySelector,
  EnvFromSource,
  EnvVar,
  EnvVarSource,
  ResourceFieldSelector,
} from "kubernetes-types/core/v1.js";
import type { FieldFaults } from "../field-faults.js";
import { dns1123Subdomain, envName, qualifiedName } from "../names.js";
import type { FieldPath } from "../path.js";
import type { Rule } from "./rule.js";

const FIELDS = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.hostIPs",
  "status.podIP",
  "status.podIPs",
];
const RESOURCES = ["limits", "requests"].flatMap((kind) =>
  ["cpu", "ephemeral-storage", "memory"].map((resource) => `${kind}.${resource}`),
);
const BYTE_DIVISORS = ["1", "1k", "1M", "1G", "1T", "1P", "1E", "1Ki", "1Mi", "1Gi", "1Ti", "1Pi", "1Ei"];

/** `containers`: names of the pod's containers, which a resourceFieldRef may name. */
export function envRule(containers: ReadonlySet<string>): Rule<readonly EnvVar[]> {
  return (vars, path, faults) => {
    vars.forEach(({ name, value = "", valueFrom }, i) => {
      const at = path.index(i);
      if (!name) faults.required(at.child("name"));
      else faults.each(at.child("name"), name, envName(name));
      if (valueFrom !== undefined) sourceRule(valueFrom, value, containers, at.child("valueFrom"), faults);
    });
  };
}

function sourceRule(
  source: EnvVarSource,
  value: string,
  containers: ReadonlySet<string>,
  path: FieldPath,
  faults: FieldFaults,
): void {
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = source;
  const given = [fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef].filter((one) => one !== undefined);
  if (configMapKeyRef !== undefined) keyRule(configMapKeyRef, path.child("configMapKeyRef"), faults);
  if (secretKeyRef !== undefined) keyRule(secretKeyRef, path.child("secretKeyRef"), faults);
  if (fieldRef !== undefined) fieldRule(fieldRef.fieldPath ?? "", path.child("fieldRef"), faults);
  if (fieldRef !== undefined && fieldRef.apiVersion !== "v1") {
    faults.invalid(path.child("fieldRef").child("apiVersion"), fieldRef.apiVersion, "must be v1");
  }
  if (resourceFieldRef !== undefined)
    resourceRule(resourceFieldRef, containers, path.child("resourceFieldRef"), faults);
  if (given.length === 0) {
    faults.requiredOneOf(path, "must specify one of: `fieldRef` or `resourceFieldRef`");
  } else if (value !== "") faults.invalid(path, "", "may not be specified when `value` is not empty");
  else if (given.length > 1) {
    faults.invalid(path, "", "may not have more than one field specified at a time");
  }
}

const CONFIG_KEY = /^[-._a-zA-Z0-9]+$/;

function keyRule({ name = "", key = "" }: ConfigMapKeySelector, path: FieldPath, faults: FieldFaults): void {
  if (name === "") faults.required(path.child("name"));
  else faults.each(path.child("name"), name, dns1123Subdomain(name));
  if (key === "") faults.required(path.child("key"));
  else if (key.length > 253) faults.invalid(path.child("key"), key, "must be no more than 253 characters");
  else if (!CONFIG_KEY.test(key) || key === "." || key.startsWith("..")) {
    const text = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'";
    faults.invalid(path.child("key"), key, text);
  }
}

/** Whole ConfigMaps and Secrets as environment. */
export const envFromRule: Rule<readonly EnvFromSource[]> = (sources, path, faults) => {
  sources.forEach(({ prefix = "", configMapRef, secretRef }, i) => {
    const at = path.index(i);
    if (prefix !== "") faults.each(at.child("prefix"), prefix, envName(prefix));
    for (const [child, ref] of [
      ["configMapRef", configMapRef],
      ["secretRef", secretRef],
    ] as const) {
      if (ref === undefined) continue;
      const name = at.child(child).child("name");
      if (!ref.name) faults.required(name);
      else faults.each(name, ref.name, dns1123Subdomain(ref.name));
    }
    if (configMapRef === undefined && secretRef === undefined) {
      faults.requiredOneOf(at, "must specify one of: `configMapRef` or `secretRef`");
    } else if (configMapRef !== undefined && secretRef !== undefined) {
      faults.invalid(at, "", "may not have more than one field specified at a time");
    }
  });
};

function fieldRule(field: string, path: FieldPath, faults: FieldFaults): void {
  const at = path.child("fieldPath");
  if (field === "") {
    faults.required(at);
    return;
  }
  const [base, key] = subscript(field) ?? [];
  if (base === undefined || key === undefined) {
    if (!FIELDS.includes(field)) faults.unsupported(at, field, FIELDS);
  } else if (base === "metadata.annotations") faults.each(path, key, qualifiedName(key.toLowerCase()));
  else if (base === "metadata.labels") faults.each(path, key, qualifiedName(key));
  else faults.invalid(path, base, "does not support subscript");
}

/** `base['key']`, split at the last `['`; a regular expression would try them all. */
function subscript(field: string): readonly [base: string, key: string] | undefined {
  const open = field.lastIndexOf("['", field.length - 4);
  if (open < 0 || !field.endsWith("']") || /[\n\r\u2028\u2029]/.test(field)) return undefined;
  return [field.slice(0, open), field.slice(open + 2, -2)];
}

function resourceRule(
  ref: ResourceFieldSelector,
  containers: ReadonlySet<string>,
  path: FieldPath,
  faults: FieldFaults,
): void {
  const { resource = "", divisor, containerName } = ref;
  const huge = /^(limits|requests)\.hugepages-/.test(resource);
  if (resource === "") faults.required(path.child("resource"));
  else if (!RESOURCES.includes(resource) && !huge) faults.unsupported(path.child("resource"), resource, RESOURCES);
  if (containerName && !containers.has(containerName)) faults.notFound(path.child("containerName"), containerName);
  if (divisor === undefined || divisor === "0") return;
  const [known, what] = resource.endsWith(".cpu") ? [["1m", "1"], "cpu"] : [BYTE_DIVISORS, resource.split(".")[1]];
  if (!known.includes(divisor)) {
    const values = what === "cpu" ? "1m and 1" : known.join(", ");
    faults.invalid(
      path.child("divisor"),
      resource,
      `only divisor's values ${values} are supported with the ${what} resource`,
    );
  }
}
