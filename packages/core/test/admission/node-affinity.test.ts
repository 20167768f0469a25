import { describe, expect, test } from "@jest/globals";
import { matchesNodeAffinity } from "../../src/admission/node-affinity.js";
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
    { name: "an operator that nobody knows", key: "zone", operator: "in", values: ["a"] },
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
  test("there is no other field", () => expect(field("In", ["a"], "metadata.uid")).toBe(false));
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
