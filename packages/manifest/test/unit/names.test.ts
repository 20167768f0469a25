import { describe, expect, test } from "@jest/globals";
import {
  between,
  dns1123Label,
  dns1123Subdomain,
  dnsSearchDomain,
  envName,
  headerName,
  labelValue,
  notNegative,
  portName,
  portNumber,
  qualifiedName,
} from "../../src/names.js";

const SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an " +
  "alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const UNDERSCORED =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '_', '-' or '.', and must start and end with an " +
  "alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";
const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an " +
  "alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const QUALIFIED =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character " +
  "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an " +
  "alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is " +
  "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const HEADER =
  "a valid HTTP header must consist of alphanumeric characters or '-' (e.g. 'X-Header-Name', regex used for validation is " +
  "'[-A-Za-z0-9]+')";
const long = (bytes: number): string => `must be no more than ${bytes} bytes`;

// apimachinery's validation, word for word: `kubectl apply` says the same.
describe("the name of", () => {
  test.each<[string, (value: string) => readonly string[], string, readonly string[]]>([
    ["a container", dns1123Label, "web-1", []],
    ["a container of 63 letters", dns1123Label, "a".repeat(63), []],
    ["a container of 64 letters", dns1123Label, "a".repeat(64), [long(63)]],
    ["a container with dots", dns1123Label, "web.1", ["must not contain dots"]],
    ["a container with dots, too long", dns1123Label, `a.${"b".repeat(63)}`, [long(63), "must not contain dots"]],
    ["a container with capitals", dns1123Label, "Web", [LABEL]],
    ["a container with nothing", dns1123Label, "", [LABEL]],
    ["a container, capital and too long", dns1123Label, "A".repeat(64), [long(63), LABEL]],
    ["a pod", dns1123Subdomain, "web.example-1", []],
    ["a pod of 253 letters", dns1123Subdomain, "a".repeat(253), []],
    ["a pod of 254 letters", dns1123Subdomain, "a".repeat(254), [long(253)]],
    ["a pod that begins with a dash", dns1123Subdomain, "-web", [SUBDOMAIN]],
    ["a pod with an empty part", dns1123Subdomain, "a..b", [SUBDOMAIN]],
    ["a pod with a very long name", dns1123Subdomain, "a".repeat(1025), [long(253), SUBDOMAIN]],
    ["a pod, as long as is read", dns1123Subdomain, "a".repeat(1024), [long(253)]],
    ["a search domain", dnsSearchDomain, "_tcp.example_1.com", []],
    ["a search domain that is too long", dnsSearchDomain, "a".repeat(254), [long(253)]],
    ["a search domain with blanks", dnsSearchDomain, "a b", [UNDERSCORED]],
    ["a label's value", labelValue, "v1.2_3", []],
    ["a label's value of nothing", labelValue, "", []],
    ["a label's value of 64 letters", labelValue, "a".repeat(64), [long(63)]],
    ["a label's value with a blank", labelValue, "a b", [VALUE]],
    ["a header", headerName, "X-Header-1", []],
    ["a header with a line feed", headerName, "X\n", [HEADER]],
    ["a header of nothing", headerName, "", [HEADER]],
    ["a port", portName, "http-1", []],
    ["a port of 15 letters", portName, "a".repeat(15), []],
    ["a port of 16 letters", portName, "a".repeat(16), [long(15)]],
    [
      "a port with capitals",
      portName,
      "hTTP",
      ["must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"],
    ],
    [
      "a port with something behind",
      portName,
      "http!",
      ["must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"],
    ],
    [
      "a port with something before",
      portName,
      "!http",
      ["must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)"],
    ],
    ["a port of digits", portName, "80", ["must contain at least one letter (a-z)"]],
    ["a port with two dashes", portName, "a--b", ["must not contain consecutive hyphens"]],
    ["a port that begins with a dash", portName, "-a", ["must not begin or end with a hyphen"]],
    ["a port that ends with a dash", portName, "a-", ["must not begin or end with a hyphen"]],
    ["a variable", envName, "my.Variable-1 x", []],
    [
      "a variable with =",
      envName,
      "a=b",
      ["a valid environment variable name must consist only of printable ASCII characters other than '='"],
    ],
    [
      "a variable of nothing",
      envName,
      "",
      ["a valid environment variable name must consist only of printable ASCII characters other than '='"],
    ],
    [
      "a variable with a tab at its end",
      envName,
      "a\t",
      ["a valid environment variable name must consist only of printable ASCII characters other than '='"],
    ],
    [
      "a variable with a letter beyond ASCII at its head",
      envName,
      "äa",
      ["a valid environment variable name must consist only of printable ASCII characters other than '='"],
    ],
  ])("%s", (_, check, value, problems) => expect(check(value)).toEqual(problems));
});

describe("the key of a label or annotation", () => {
  test.each<[string, string, readonly string[]]>([
    ["is a name", "My_name.1-x", []],
    ["may have a prefix", "example.com/name", []],
    [
      "may have no second prefix",
      "a/b/c",
      [`a qualified name ${QUALIFIED} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`],
    ],
    ["may not have an empty prefix", "/a", ["prefix part must be non-empty"]],
    ["may not have a prefix that is no subdomain", "A/b", [`prefix part ${SUBDOMAIN}`]],
    ["may not have a prefix that is too long", `${"a".repeat(254)}/b`, [`prefix part ${long(253)}`]],
    ["may not be empty", "", ["name part must be non-empty", `name part ${QUALIFIED}`]],
    ["may not be empty behind its prefix", "a/", ["name part must be non-empty", `name part ${QUALIFIED}`]],
    ["may not be too long", "a".repeat(64), [`name part ${long(63)}`]],
    ["may not begin with a dash", "-a", [`name part ${QUALIFIED}`]],
  ])("%s", (_, key, problems) => expect(qualifiedName(key)).toEqual(problems));
});

describe("a number", () => {
  test.each([
    { port: 0, fine: false },
    { port: 1, fine: true },
    { port: 65_535, fine: true },
    { port: 65_536, fine: false },
  ])("$port is a port: $fine", ({ port, fine }) => {
    expect(portNumber(port)).toEqual(fine ? [] : ["must be between 1 and 65535, inclusive"]);
  });

  test("is between its bounds, which count", () => {
    expect([0, 1, 3, 4].map((value) => between(value, 1, 3).length)).toEqual([1, 0, 0, 1]);
  });

  test("that may not be negative may be zero", () => {
    expect([-1, 0, 1].map(notNegative)).toEqual([["must be greater than or equal to 0"], [], []]);
  });
});
