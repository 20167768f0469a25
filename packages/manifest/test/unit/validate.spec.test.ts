import { expect, test } from "@jest/globals";
import { defaultPod } from "../../src/defaults.js";
import { FieldFaults } from "../../src/field-faults.js";
import { FieldPath } from "../../src/path.js";
import { specRule } from "../../src/validate.js";
import { aPod } from "../pods.js";

const LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?";
const QUALIFIED = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]";
const EDGES = "and must start and end with an alphanumeric character";
const LABEL_TEXT = `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', ${EDGES} (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`;
const SUBDOMAIN_TEXT = `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', ${EDGES} (e.g. 'example.com', regex used for validation is '${LABEL}(\\.${LABEL})*')`;
const NAME_TEXT = `name part must consist of alphanumeric characters, '-', '_' or '.', ${EDGES} (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${QUALIFIED}')`;
const VALUE_TEXT = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', ${EDGES} (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(${QUALIFIED})?')`;

/** Without the shape's check, which refuses some of these fields. */
function faultsOf(fields: object): readonly string[] {
  const faults = new FieldFaults();
  const { spec } = defaultPod(aPod(fields));
  specRule(spec ?? { containers: [] }, FieldPath.root, faults);
  return faults.list.map(({ message }) => message);
}

test.each<[string, object, string[]]>([
  ["a pod may end at once", { terminationGracePeriodSeconds: 0 }, []],
  ["a pod may run for a second", { activeDeadlineSeconds: 1 }, []],
  ["a pod may run for 2147483647 seconds", { activeDeadlineSeconds: 2147483647 }, []],
  [
    "a pod may not run for longer",
    { activeDeadlineSeconds: 2147483648 },
    ["activeDeadlineSeconds: Invalid value: 2147483648: must be between 1 and 2147483647, inclusive"],
  ],
  [
    "labels of the node are labels",
    { nodeSelector: { "a b": "-" } },
    [`nodeSelector: Invalid value: "a b": ${NAME_TEXT}`, `nodeSelector: Invalid value: "-": ${VALUE_TEXT}`],
  ],
  [
    "hostname and subdomain are labels of DNS",
    { hostname: "A", subdomain: "B" },
    [`hostname: Invalid value: "A": ${LABEL_TEXT}`, `subdomain: Invalid value: "B": ${LABEL_TEXT}`],
  ],
  ["an empty hostname is none", { hostname: "", subdomain: "" }, []],
  [
    "a priority class has the name of an object",
    { priorityClassName: "A_b" },
    [`priorityClassName: Invalid value: "A_b": ${SUBDOMAIN_TEXT}`],
  ],
  ["an empty priority class is none", { priorityClassName: "" }, []],
  ["a pod may preempt or not", { preemptionPolicy: "Never" }, []],
  ["a pod may be for Windows", { os: { name: "windows" } }, []],
  ["a pod is for some system", { os: {} }, ["os.name: Required value"]],
  [
    "a readiness gate has the name of a condition",
    { readinessGates: [{ conditionType: "a.example/b" }, { conditionType: "a b" }] },
    [`readinessGates[1].conditionType: Invalid value: "a b": ${NAME_TEXT}`],
  ],
  ["hostnameOverride may have 64 characters", { hostnameOverride: "a".repeat(64) }, []],
  [
    "and no more, as the kernel's names",
    { hostnameOverride: "a".repeat(65) },
    [`hostnameOverride: Invalid value: "${"a".repeat(65)}": must be no more than 64 characters`],
  ],
  [
    "hostnameOverride is a name of DNS",
    { hostnameOverride: "A_b" },
    [`hostnameOverride: Invalid value: "A_b": ${SUBDOMAIN_TEXT}`],
  ],
  [
    "a hostnameOverride that is empty is no name",
    { hostnameOverride: "" },
    [`hostnameOverride: Invalid value: "": ${SUBDOMAIN_TEXT}`],
  ],
  ["a hostnameOverride of null is none", { hostnameOverride: null, hostNetwork: true, setHostnameAsFQDN: true }, []],
  [
    "hostnameOverride is for pods that have names of their own",
    { hostnameOverride: "a", hostNetwork: true, setHostnameAsFQDN: true },
    [
      `hostnameOverride: Invalid value: "a": may not be set when 'hostNetwork' is true`,
      `hostnameOverride: Invalid value: "a": may not be set when 'setHostnameAsFQDN' is true`,
    ],
  ],
])("%s", (_rule, fields, expected) => {
  expect(faultsOf(fields)).toEqual(expected);
});
