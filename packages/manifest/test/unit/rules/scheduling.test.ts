import { describe, expect, test } from "@jest/globals";
import { aPod, messagesOf } from "../../pods.js";

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const NAME = `name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED}')`;
const VALUE = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(${QUALIFIED})?')`;
const SUBDOMAIN = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${LABEL}(\\.${LABEL})*')`;
const REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution";
const PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution";

const T = "spec.tolerations[0]";

test.each<[string, object, string[]]>([
  [
    "key, operator, value and effect may be given",
    { key: "a.b/c", operator: "Equal", value: "x", effect: "NoSchedule" },
    [],
  ],
  ["the operator is Equal if none is given", { key: "a", value: "x" }, []],
  ["without a key, Exists matches all", { operator: "Exists" }, []],
  ["NoExecute may have seconds", { key: "a", effect: "NoExecute", tolerationSeconds: 0 }, []],
  [
    "seconds go with no other effect",
    { key: "a", effect: "NoSchedule", tolerationSeconds: 0 },
    [`${T}.effect: Invalid value: "NoSchedule": effect must be 'NoExecute' when \`tolerationSeconds\` is set`],
  ],
  [
    "seconds go with no lack of an effect",
    { key: "a", tolerationSeconds: 0 },
    [`${T}.effect: Invalid value: "": effect must be 'NoExecute' when \`tolerationSeconds\` is set`],
  ],
  ["the key is a qualified name", { key: "a b" }, [`${T}.key: Invalid value: "a b": ${NAME}`]],
  [
    "a key is needed with Equal",
    { operator: "Equal" },
    [
      `${T}.operator: Invalid value: "Equal": operator must be Exists when \`key\` is empty, which means "match all values and all keys"`,
    ],
  ],
  [
    "the value of Equal is a label's",
    { key: "a", operator: "Equal", value: "-" },
    [`${T}.operator: Invalid value: "-": ${VALUE}`],
  ],
  [
    "a value without an operator is a label's",
    { key: "a", value: "-" },
    [`${T}.operator: Invalid value: "-": ${VALUE}`],
  ],
])("tolerations: %s", async (_rule, toleration, expected) => {
  expect(await messagesOf(aPod({ tolerations: [toleration] }))).toEqual(expected);
});

const affinityFaults = (nodeAffinity: object): Promise<readonly string[]> =>
  messagesOf(aPod({ affinity: { nodeAffinity } }));

describe("required node affinity", () => {
  const TERM = `spec.affinity.nodeAffinity.${REQUIRED}.nodeSelectorTerms`;
  const faults = (term: object): Promise<readonly string[]> =>
    affinityFaults({ [REQUIRED]: { nodeSelectorTerms: [term] } });

  test.each([[{}], [{ nodeSelectorTerms: [] }]])("has a term (%j has none)", async (required) => {
    expect(await affinityFaults({ [REQUIRED]: required })).toEqual([
      `${TERM}: Required value: must have at least one node selector term`,
    ]);
  });

  test.each<[string, object, string[]]>([
    ["In takes several values", { key: "a", operator: "In", values: ["x", "y"] }, []],
    ["NotIn takes one value", { key: "a", operator: "NotIn", values: ["x"] }, []],
    ["Exists takes none", { key: "a", operator: "Exists" }, []],
    ["DoesNotExist takes none", { key: "a", operator: "DoesNotExist", values: [] }, []],
    ["Gt takes one", { key: "a", operator: "Gt", values: ["1"] }, []],
    ["Lt takes one", { key: "a", operator: "Lt", values: ["1"] }, []],
    [
      "NotIn needs a value",
      { key: "a", operator: "NotIn", values: [] },
      [".values: Required value: must be specified when `operator` is 'In' or 'NotIn'"],
    ],
    [
      "Exists may have no value",
      { key: "a", operator: "Exists", values: ["x"] },
      [".values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'"],
    ],
    [
      "DoesNotExist may have no value",
      { key: "a", operator: "DoesNotExist", values: ["x"] },
      [".values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'"],
    ],
    [
      "Gt needs a value",
      { key: "a", operator: "Gt" },
      [".values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'"],
    ],
    [
      "Lt may have no second value",
      { key: "a", operator: "Lt", values: ["1", "2"] },
      [".values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'"],
    ],
    [
      "other operators do not exist",
      { key: "a", operator: "Like", values: ["x"] },
      ['.operator: Invalid value: "Like": not a valid selector operator'],
    ],
    ["an operator must be given", { key: "a" }, ['.operator: Invalid value: "": not a valid selector operator']],
    ["the key is a qualified name", { key: "a b", operator: "Exists" }, [`.key: Invalid value: "a b": ${NAME}`]],
    [
      "a key must be given",
      { operator: "Exists" },
      ['.key: Invalid value: "": name part must be non-empty', `.key: Invalid value: "": ${NAME}`],
    ],
    [
      "each value is a label's",
      { key: "a", operator: "In", values: ["x", "-"] },
      [`.values[1]: Invalid value: "-": ${VALUE}`],
    ],
  ])("matchExpressions: %s", async (_rule, requirement, expected) => {
    const at = `${TERM}[0].matchExpressions[0]`;
    expect(await faults({ matchExpressions: [requirement] })).toEqual(expected.map((message) => `${at}${message}`));
  });

  test.each<[string, object, string[]]>([
    ["In takes one name", { key: "metadata.name", operator: "In", values: ["node1"] }, []],
    ["NotIn takes one name", { key: "metadata.name", operator: "NotIn", values: ["node1"] }, []],
    [
      "In takes no second name",
      { key: "metadata.name", operator: "In", values: ["a", "b"] },
      [".values: Required value: must be only one value when `operator` is 'In' or 'NotIn' for node field selector"],
    ],
    [
      "NotIn needs a name",
      { key: "metadata.name", operator: "NotIn" },
      [".values: Required value: must be only one value when `operator` is 'In' or 'NotIn' for node field selector"],
    ],
    [
      "other operators do not exist",
      { key: "metadata.name", operator: "Exists" },
      ['.operator: Invalid value: "Exists": not a valid selector operator'],
    ],
    [
      "an operator must be given",
      { key: "metadata.name" },
      ['.operator: Invalid value: "": not a valid selector operator'],
    ],
    [
      "a key must be given",
      { operator: "In", values: ["_"] },
      ['.key: Invalid value: "": not a valid field selector key'],
    ],
    [
      "the value is the name of a node",
      { key: "metadata.name", operator: "In", values: ["Node_1"] },
      [`.values[0]: Invalid value: "Node_1": ${SUBDOMAIN}`],
    ],
  ])("matchFields: %s", async (_rule, requirement, expected) => {
    const at = `${TERM}[0].matchFields[0]`;
    expect(await faults({ matchFields: [requirement] })).toEqual(expected.map((message) => `${at}${message}`));
  });
});

describe("preferred node affinity", () => {
  const AT = `spec.affinity.nodeAffinity.${PREFERRED}`;
  const preference = { matchExpressions: [{ key: "a", operator: "Exists" }] };

  test.each<[number, string[]]>([
    [0, [`${AT}[0].weight: Invalid value: 0: must be in the range 1-100`]],
    [1, []],
    [100, []],
    [101, [`${AT}[0].weight: Invalid value: 101: must be in the range 1-100`]],
  ])("weighs from 1 to 100: %d", async (weight, expected) => {
    expect(await affinityFaults({ [PREFERRED]: [{ weight, preference }] })).toEqual(expected);
  });

  test("has terms as well formed as the required one", async () => {
    const preferences = [
      { weight: 1, preference },
      { weight: 1, preference: { matchExpressions: [{ key: "a", operator: "Like" }] } },
    ];
    expect(await affinityFaults({ [PREFERRED]: preferences })).toEqual([
      `${AT}[1].preference.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator`,
    ]);
  });
});
