import { describe, expect, test } from "@jest/globals";
import { fillTemplate } from "../../../src/print/jsonpath/evaluate.js";
import { parseTemplate } from "../../../src/print/jsonpath/parse.js";

/** The object of https://kubernetes.io/docs/reference/kubectl/jsonpath/. */
const documented = {
  kind: "List",
  items: [
    {
      kind: "None",
      metadata: { name: "127.0.0.1", labels: { "kubernetes.io/hostname": "127.0.0.1" } },
      status: {
        capacity: { cpu: "4" },
        ready: true,
        addresses: [{ type: "LegacyHostIP", address: "127.0.0.1" }],
      },
    },
    {
      kind: "None",
      metadata: { name: "127.0.0.2" },
      status: {
        capacity: { cpu: "8" },
        ready: false,
        addresses: [
          { type: "LegacyHostIP", address: "127.0.0.2" },
          { type: "another", address: "127.0.0.3" },
        ],
      },
    },
  ],
  users: [
    { name: "myself", user: {} },
    { name: "e2e", user: { username: "admin", password: "secret" } },
  ],
};

const fill = (template: string, object: unknown = documented): string => fillTemplate(parseTemplate(template), object);

describe("what kubectl's documentation shows", () => {
  test.each([
    ["text", "kind is {.kind}", "kind is List"],
    ["the current object", "{@.kind}", "List"],
    ["child operator", "{.kind}", "List"],
    ["child operator in brackets", "{['kind']}", "List"],
    ["a name with a dot, escaped", "{['items'][0].metadata.labels['kubernetes\\.io/hostname']}", "127.0.0.1"],
    ["recursive descent", "{..name}", "127.0.0.1 127.0.0.2 myself e2e"],
    ["wildcard over a list", "{.items[*].metadata.name}", "127.0.0.1 127.0.0.2"],
    ["subscript", "{.users[0].name}", "myself"],
    ["list subscript", "{.users[0:1].name}", "myself"],
    ["the last one", "{.users[-1:].name}", "e2e"],
    ["the last one, by its index", "{.users[-1].name}", "e2e"],
    ["union", "{.items[*]['metadata.name', 'status.capacity']}", '127.0.0.1 127.0.0.2 {"cpu":"4"} {"cpu":"8"}'],
    ["filter", '{.users[?(@.name=="e2e")].user.password}', "secret"],
    [
      "range with text between",
      "{range .items[*]}[{.metadata.name}, {.status.capacity}] {end}",
      '[127.0.0.1, {"cpu":"4"}] [127.0.0.2, {"cpu":"8"}] ',
    ],
    ["escaped text", "{range .items[*]}{.metadata.name}{'\\t'}{end}", "127.0.0.1\t127.0.0.2\t"],
    ["regular text in quotes", '{range .users[*]}{.name}{"\\n"}{end}', "myself\ne2e\n"],
  ])("%s", (_, template, expected) => expect(fill(template)).toBe(expected));
});

describe("what client-go does besides", () => {
  test.each([
    [
      "a range in a range",
      "{range .items[*]}{range .status.addresses[*]}{.address}, {end}{end}{.kind}",
      "127.0.0.1, 127.0.0.2, 127.0.0.3, List",
    ],
    ["a range over nothing says nothing", "{range .nothing[*]}x{end}done", "done"],
    ["a field that is not there is empty", "before-{.hello}-after", "before--after"],
    ["what exists", "{.users[?(@.user.username)].name}", "e2e"],
    ["true is no text", "{.items[?(@.status.ready==true)].metadata.name}", "127.0.0.1"],
    ["a filter by descent", "{.items[?(@..ready==false)].metadata.name}", "127.0.0.2"],
    ["every second", "{.l[::2]}", "1 3"],
    ["comparisons of numbers", "{.l[?(@>=2)]}", "2 3"],
    ["several indices", "{.l[0,2]}", "1 3"],
    ["all fields of an object", "{.o.*}", "1 x"],
    ["a whole object is JSON", "{.o}", '{"a":1,"b":"x"}'],
    ["braces in quotes are text", "{'{'}{.o.a}{'}'}", "{1}"],
  ])("%s", (_, template, expected) => {
    expect(fill(template, { ...documented, l: [1, 2, 3], o: { a: 1, b: "x" } })).toBe(expected);
  });

  test.each([
    ["a bare word", "{hello}", "unrecognized identifier hello"],
    ["an end without a range", "{end}", "{end} only behind"],
    ["a range without an end", "{range .items[*]}", "an {end} for each"],
    ["an open brace", "{.a", "a } for each {"],
    ["an open bracket", "{.a[0}", "a ] for each ["],
    ["a strange operator", "{.users[?(@.name<>1)]}", "one of == !="],
    ["an index beyond the end", "{.users[7]}", "below the length 2"],
    ["an index into an object", "{.items[0].metadata[0]}", "a list where"],
    ["values of two types", "{.users[?(@.name==1)]}", "two values of one type"],
  ])("%s is refused", (_, template, message) => expect(() => fill(template)).toThrow(message));
});

test("a brace in quotes does not end an action, nor does a quote after a backslash", () => {
  expect(fillTemplate(parseTemplate(String.raw`{"}"}{'\'}'}.`), {})).toBe("}'}.");
});
