import { expect, test } from "@jest/globals";
import { type ApiObject, finishedObject, type ShapedObject, validateObject } from "../../src/api-object.js";
import { FieldFaults } from "../../src/field-faults.js";

const metadata = { name: "a" };

function messagesOf(kind: ApiObject["kind"], shaped: ShapedObject): readonly string[] {
  const faults = new FieldFaults();
  validateObject(finishedObject({ metadata, ...shaped }, kind), faults);
  return faults.list.map(({ message }) => message);
}

test("a ConfigMap stays as it is; a Secret gets its type, and stringData goes into data, before what data says", () => {
  expect(finishedObject({ metadata, data: { a: "1" } }, "ConfigMap")).toEqual({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", namespace: "default" },
    data: { a: "1" },
  });
  expect(
    finishedObject({ metadata, data: { a: "MQ==", b: "MQ==" }, stringData: { a: "2", c: "3" } }, "Secret"),
  ).toEqual({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "a", namespace: "default" },
    type: "Opaque",
    data: { a: "Mg==", b: "MQ==", c: "Mw==" },
  });
  expect(finishedObject({ metadata, type: "kubernetes.io/tls" }, "Secret")).toMatchObject({
    type: "kubernetes.io/tls",
  });
});

test("a ConfigMap and a Secret keep their namespace, and have no uid of their own", () => {
  const given = { name: "a", namespace: "team", uid: "u", labels: { a: "b" } };
  expect(finishedObject({ metadata: given }, "ConfigMap")).toEqual({
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "a", namespace: "team", labels: { a: "b" } },
  });
  expect(finishedObject({}, "Secret")).toEqual({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "", namespace: "default" },
    type: "Opaque",
    data: {},
  });
});

test("a ConfigMap and a Secret keep the rules of names", () => {
  expect(messagesOf("Secret", { metadata: {} })).toEqual(["metadata.name: Required value"]);
});

test.each<readonly [name: string, key: string, fault: RegExp | undefined]>([
  ["letters, digits, dash, underscore and dot", "A-b_c.1", undefined],
  ["a dot in front", ".hidden", undefined],
  ["one dot", ".", /must not be '\.' or begin with '\.\.'/],
  ["two dots in front", "..data", /must not be '\.' or begin with '\.\.'/],
  ["a slash", "a/b", /a valid config key must consist of/],
  ["nothing", "", /a valid config key must consist of/],
  ["253 letters", "k".repeat(253), undefined],
  ["254 letters", "k".repeat(254), /must be no more than 253 characters/],
])("a key of %s", (_name, key, fault) => {
  const found = messagesOf("ConfigMap", { data: { [key]: "" } });
  if (fault === undefined) expect(found).toEqual([]);
  else expect(found).toEqual([expect.stringMatching(fault)]);
});

test("the values of a Secret and the binaryData of a ConfigMap are base64; the data of a ConfigMap is text", () => {
  const fault = [expect.stringContaining("must be base64")];
  expect(messagesOf("Secret", { data: { a: "x" } })).toEqual(fault);
  expect(messagesOf("ConfigMap", { binaryData: { a: "x" } })).toEqual(fault);
  expect(messagesOf("ConfigMap", { data: { a: "x" } })).toEqual([]);
  expect(messagesOf("Secret", { data: { a: "eA==", b: "eHk=", c: "eHl6", d: "" } })).toEqual([]);
});

test("a key stands in data or in binaryData", () => {
  expect(messagesOf("ConfigMap", { data: { a: "", b: "" }, binaryData: { b: "", c: "" } })).toEqual([
    expect.stringMatching(/^data\[b\]: .*duplicate of key present in binaryData$/),
  ]);
});

test("all values of an object have at most 1 MiB, base64 counted as what it stands for", () => {
  const half = 512 * 1024;
  const base64 = Buffer.alloc(half).toString("base64");
  const both = (more: string) => ({ data: { text: `${"x".repeat(half)}${more}` }, binaryData: { bytes: base64 } });
  expect(messagesOf("ConfigMap", both(""))).toEqual([]);
  expect(messagesOf("ConfigMap", both("x"))).toEqual([expect.stringMatching(/^data: Too long/)]);
});
