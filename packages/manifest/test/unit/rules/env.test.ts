import { describe, expect, test } from "@jest/globals";
import { FieldFaults } from "../../../src/field-faults.js";
import { FieldPath } from "../../../src/path.js";
import { envFromRule, envRule } from "../../../src/rules/env.js";

const REQUIRED = "Required value";
const HERE = FieldPath.root.child("env");
const messages = ({ list }: FieldFaults, at: string): readonly string[] =>
  list.map(({ message }) => message.replace(at, "~").replace(/: (Invalid|Unsupported) value: /, " $1 "));

/** The faults of one variable's source. */
function ofValue(valueFrom: object, value?: string): readonly string[] {
  const faults = new FieldFaults();
  envRule(new Set(["main"]))([{ name: "A", valueFrom, ...(value !== undefined && { value }) }], HERE, faults);
  return messages(faults, "env[0].valueFrom");
}

function ofAll(source: object): readonly string[] {
  const faults = new FieldFaults();
  envFromRule([source], HERE, faults);
  return messages(faults, "env[0]");
}

const field = (fieldPath: string) => ({ fieldRef: { apiVersion: "v1", fieldPath } });
const amount = (resource: string, more: object = {}) => ({ resourceFieldRef: { resource, ...more } });
const key = (name: string, text: string) => ({ configMapKeyRef: { name, key: text } });

test.each<readonly [name: string, source: object]>([
  ["a field", field("metadata.name")],
  ["a label", field("metadata.labels['app.kubernetes.io/name']")],
  ["an annotation, whatever its letters", field("metadata.annotations['Note']")],
  ["an amount", amount("limits.cpu")],
  ["an amount in units", amount("requests.memory", { divisor: "1Mi" })],
  ["a thousandth of a CPU", amount("limits.cpu", { divisor: "1m" })],
  ["no divisor", amount("limits.cpu", { divisor: "0" })],
  ["huge pages", amount("limits.hugepages-2Mi", { divisor: "1Mi" })],
  ["a container of the pod", amount("limits.cpu", { containerName: "main" })],
  ["a key", key("settings", "a.b-c_D")],
  ["a key of 253 letters", key("settings", "k".repeat(253))],
])("a variable may come from %s", (_name, source) => {
  expect(ofValue(source)).toEqual([]);
});

test.each<readonly [name: string, source: object, fault: string | RegExp]>([
  ["nothing", {}, "~: Required value: must specify one of: `fieldRef` or `resourceFieldRef`"],
  ["two places", { ...field("metadata.name"), ...amount("limits.cpu") }, /may not have more than one field specified/],
  ["a field without a path", field(""), `~.fieldRef.fieldPath: ${REQUIRED}`],
  [
    "a field that no pod shows",
    field("spec.hostname"),
    /^~.fieldRef.fieldPath Unsupported .*: supported values: "metadata.name", /,
  ],
  [
    "a key of another field",
    field("metadata.name['a']"),
    /^~.fieldRef Invalid "metadata.name": does not support subscript$/,
  ],
  ["a label that cannot be", field("metadata.labels['a b']"), /^~.fieldRef Invalid "a b": name part must consist of/],
  [
    "a field of another version",
    { fieldRef: { apiVersion: "v2", fieldPath: "metadata.name" } },
    /^~.fieldRef.apiVersion Invalid "v2": must be v1$/,
  ],
  ["an amount of nothing", amount(""), `~.resourceFieldRef.resource: ${REQUIRED}`],
  [
    "an amount that no container has",
    amount("limits.pids"),
    /^~.resourceFieldRef.resource Unsupported "limits.pids": supported values: "limits.cpu", /,
  ],
  [
    "another pod's container",
    amount("limits.cpu", { containerName: "x" }),
    '~.resourceFieldRef.containerName: Not found: "x"',
  ],
  [
    "CPUs in bytes",
    amount("limits.cpu", { divisor: "1Mi" }),
    /divisor Invalid "limits.cpu": only divisor's values 1m and 1 are supported with the cpu resource$/,
  ],
  [
    "bytes in thousandths",
    amount("limits.memory", { divisor: "1m" }),
    /divisor's values 1, 1k, 1M, .*, 1Ei are supported with the memory resource$/,
  ],
  ["a key of no ConfigMap", key("", "a"), `~.configMapKeyRef.name: ${REQUIRED}`],
  [
    "a ConfigMap whose name cannot be",
    key("A", "a"),
    /^~.configMapKeyRef.name Invalid "A": a lowercase RFC 1123 subdomain/,
  ],
  ["no key", key("a", ""), `~.configMapKeyRef.key: ${REQUIRED}`],
  ["a key of 254 letters", key("a", "k".repeat(254)), /key Invalid .*: must be no more than 253 characters$/],
  ["a key with a slash", key("a", "b/c"), /key Invalid "b\/c": a valid config key must consist of/],
  [
    "a key that leads out of a folder",
    { secretKeyRef: { name: "a", key: ".." } },
    /^~.secretKeyRef.key Invalid "..": a valid config key/,
  ],
])("a variable may not come from %s", (_name, source, fault) => {
  expect(ofValue(source)).toEqual([typeof fault === "string" ? fault : expect.stringMatching(fault)]);
});

test("a variable has a value or a source", () => {
  expect(ofValue(field("metadata.name"), "x")).toEqual([
    '~ Invalid "": may not be specified when `value` is not empty',
  ]);
});

describe("whole ConfigMaps and Secrets", () => {
  test.each<readonly [name: string, source: object, faults: readonly string[]]>([
    ["a ConfigMap with a prefix", { prefix: "A_", configMapRef: { name: "a" } }, []],
    ["a Secret", { secretRef: { name: "a" } }, []],
    ["a ConfigMap without a name", { configMapRef: {} }, [`~.configMapRef.name: ${REQUIRED}`]],
    ["a Secret without a name", { secretRef: { name: "" } }, [`~.secretRef.name: ${REQUIRED}`]],
    ["neither", {}, ["~: Required value: must specify one of: `configMapRef` or `secretRef`"]],
    [
      "both",
      { configMapRef: { name: "a" }, secretRef: { name: "a" } },
      ['~ Invalid "": may not have more than one field specified at a time'],
    ],
  ])("%s", (_name, source, expected) => {
    expect(ofAll(source)).toEqual(expected);
  });

  test("a prefix begins the name of a variable", () => {
    const found = ofAll({ prefix: "A=", secretRef: { name: "a" } });
    expect(found).toEqual([expect.stringMatching(/^~.prefix Invalid "A=": /)]);
  });
});
