import { describe, expect, test } from "@jest/globals";
import { matchesNodeAffinity } from "../../../src/admission/scheduling.js";
import { aPod } from "./pods.js";

const node = { name: "node1", labels: { zone: "a", cores: "8", empty: "" } };

interface Requirement {
  key: string;
  operator: string;
  values?: string[];
}
const terms = (...nodeSelectorTerms: { matchExpressions?: Requirement[]; matchFields?: Requirement[] }[]) =>
  aPod({ affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } });
const matches = (requirement: Requirement) => matchesNodeAffinity(terms({ matchExpressions: [requirement] }), node);

describe("a requirement on labels", () => {
  test.each([
    { name: "In: one of the values", key: "zone", operator: "In", values: ["b", "a"], expected: true },
    { name: "In: none of the values", key: "zone", operator: "In", values: ["b"], expected: false },
    { name: "In: no such label", key: "rack", operator: "In", values: ["a"], expected: false },
    { name: "In: the empty value", key: "empty", operator: "In", values: [""], expected: true },
    { name: "NotIn: none of the values", key: "zone", operator: "NotIn", values: ["b"], expected: true },
    { name: "NotIn: one of the values", key: "zone", operator: "NotIn", values: ["a"], expected: false },
    { name: "NotIn: no such label", key: "rack", operator: "NotIn", values: ["a"], expected: true },
    { name: "Exists", key: "zone", operator: "Exists", expected: true },
    { name: "Exists: no such label", key: "rack", operator: "Exists", expected: false },
    { name: "DoesNotExist", key: "rack", operator: "DoesNotExist", expected: true },
    { name: "DoesNotExist: it does", key: "zone", operator: "DoesNotExist", expected: false },
    { name: "Gt: as numbers, not as text", key: "cores", operator: "Lt", values: ["16"], expected: true },
    { name: "Gt", key: "cores", operator: "Gt", values: ["7"], expected: true },
    { name: "Lt: equal is not less", key: "cores", operator: "Lt", values: ["8"], expected: false },
    { name: "Lt: the greatest number", key: "cores", operator: "Lt", values: ["9223372036854775807"], expected: true },
    { name: "Gt: leading zeros", key: "cores", operator: "Gt", values: [`${"0".repeat(62)}7`], expected: true },
    { name: "Gt: equal is not greater", key: "cores", operator: "Gt", values: ["8"], expected: false },
    { name: "Gt: the label is no number", key: "zone", operator: "Gt", values: ["1"], expected: false },
    { name: "Gt: no such label", key: "rack", operator: "Gt", values: ["1"], expected: false },
  ])("$name", ({ expected, name: _, ...requirement }) => expect(matches(requirement)).toBe(expected));

  test.each([
    { name: "In without values", key: "zone", operator: "In" },
    { name: "NotIn without values", key: "rack", operator: "NotIn" },
    { name: "Exists with values", key: "zone", operator: "Exists", values: ["a"] },
    { name: "DoesNotExist with values", key: "rack", operator: "DoesNotExist", values: ["a"] },
    { name: "Gt with two values", key: "cores", operator: "Gt", values: ["1", "2"] },
    { name: "Gt with what is no number", key: "cores", operator: "Lt", values: ["9.5"] },
    { name: "Lt with more than 64 bits", key: "cores", operator: "Lt", values: ["9223372036854775808"] },
    { name: "Exists with values that are not the label's", key: "zone", operator: "Exists", values: ["b"] },
    {
      name: "DoesNotExist with values, of a label that is there",
      key: "zone",
      operator: "DoesNotExist",
      values: ["a"],
    },
    { name: "Gt without values", key: "cores", operator: "Gt" },
    { name: "Lt with no number before and one behind", key: "cores", operator: "Lt", values: ["x9"] },
    { name: "Lt with a number and more behind", key: "cores", operator: "Lt", values: ["9x"] },
    { name: "an unknown operator", key: "zone", operator: "in", values: ["a"] },
    { name: "a key that no label can have", key: "a b", operator: "DoesNotExist" },
    { name: "a value that no label can have", key: "rack", operator: "NotIn", values: ["a b"] },
  ])("that is malformed matches nothing: $name", ({ name: _, ...requirement }) =>
    expect(matches(requirement)).toBe(false),
  );
});

describe("terms", () => {
  const yes = { key: "zone", operator: "Exists" };
  const no = { key: "rack", operator: "Exists" };

  test("one matching term is enough", () =>
    expect(matchesNodeAffinity(terms({ matchExpressions: [no] }, { matchExpressions: [yes] }), node)).toBe(true));
  test("all requirements of a term must match", () =>
    expect(matchesNodeAffinity(terms({ matchExpressions: [yes, no] }), node)).toBe(false));
  test("a term without requirements matches nothing", () => expect(matchesNodeAffinity(terms({}), node)).toBe(false));
  test("no term matches nothing", () => expect(matchesNodeAffinity(terms(), node)).toBe(false));
  test("affinity without terms matches nothing", () => {
    const required = { requiredDuringSchedulingIgnoredDuringExecution: {} } as never;
    expect(matchesNodeAffinity(aPod({ affinity: { nodeAffinity: required } }), node)).toBe(false);
  });
  test.each([{}, { nodeAffinity: {} }, { podAffinity: {} }])("affinity %j asks nothing of the node", (affinity) =>
    expect(matchesNodeAffinity(aPod({ affinity }), node)).toBe(true),
  );
  test("no affinity at all matches", () => expect(matchesNodeAffinity(aPod(), node)).toBe(true));
});

describe("fields", () => {
  const field = (operator: string, values: string[], key = "metadata.name") =>
    matchesNodeAffinity(terms({ matchFields: [{ key, operator, values }] }), node);

  test("the node's name can be asked for and against, one value at a time", () => {
    expect(field("In", ["node1"])).toBe(true);
    expect(field("In", ["node2"])).toBe(false);
    expect(field("NotIn", ["node2"])).toBe(true);
    expect(field("NotIn", ["node1"])).toBe(false);
    expect(field("In", ["node1", "node2"])).toBe(false);
    expect(field("Exists", [])).toBe(false);
  });
  test("there is no other field: it counts as empty", () => {
    expect(field("In", ["a"], "metadata.uid")).toBe(false);
    expect(field("In", [""], "metadata.uid")).toBe(true);
  });
  test("an operator that fields do not know matches nothing", () => {
    expect(field("Exists", ["node2"])).toBe(false);
    expect(field("Gt", ["node1"])).toBe(false);
  });
  test("labels and fields of a term must both match", () => {
    const both = (zone: string, name: string) =>
      matchesNodeAffinity(
        terms({
          matchExpressions: [{ key: "zone", operator: "In", values: [zone] }],
          matchFields: [{ key: "metadata.name", operator: "In", values: [name] }],
        }),
        node,
      );
    expect([both("a", "node1"), both("a", "node2"), both("b", "node1")]).toEqual([true, false, false]);
  });
});

describe("nodeSelector", () => {
  test("every label must be there with this value", () => {
    expect(matchesNodeAffinity(aPod({ nodeSelector: { zone: "a", cores: "8" } }), node)).toBe(true);
    expect(matchesNodeAffinity(aPod({ nodeSelector: { zone: "a", rack: "" } }), node)).toBe(false);
    expect(matchesNodeAffinity(aPod({ nodeSelector: { zone: "b" } }), node)).toBe(false);
  });
  test("comes beside affinity, not instead of it", () => {
    const both = terms({ matchExpressions: [{ key: "zone", operator: "Exists" }] });
    both.spec.nodeSelector = { zone: "b" };
    expect(matchesNodeAffinity(both, node)).toBe(false);
  });
});

test("labels that every object inherits are no labels of a node", () => {
  expect(matches({ key: "constructor", operator: "Exists" })).toBe(false);
});

// A label of the configuration is read as Go reads numbers, whatever a label of the API may look like.
test.each([
  { name: "a sign above zero", label: "+9", operator: "Gt", value: "8", expected: true },
  { name: "a sign below zero", label: "-9", operator: "Lt", value: "8", expected: true },
  { name: "the least number", label: "-9223372036854775808", operator: "Lt", value: "0", expected: true },
  { name: "less than that", label: "-9223372036854775809", operator: "Lt", value: "0", expected: false },
  { name: "the greatest number", label: "9223372036854775807", operator: "Gt", value: "0", expected: true },
  { name: "more than that", label: "9223372036854775808", operator: "Gt", value: "0", expected: false },
  { name: "64 digits", label: `${"0".repeat(63)}9`, operator: "Gt", value: "8", expected: true },
  { name: "very many digits", label: `${"0".repeat(64)}9`, operator: "Gt", value: "8", expected: false },
  { name: "two signs", label: "+-9", operator: "Gt", value: "8", expected: false },
  { name: "a sign alone", label: "-", operator: "Lt", value: "8", expected: false },
])("a node's label that is a number: $name", ({ label, operator, value, expected }) => {
  const pod = terms({ matchExpressions: [{ key: "cores", operator, values: [value] }] });
  expect(matchesNodeAffinity(pod, { name: "node1", labels: { cores: label } })).toBe(expected);
});
