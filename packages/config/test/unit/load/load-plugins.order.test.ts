import { defaultRuntime } from "@hooklet/core/internal";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { candidates, isPath, shortName } from "../../../src/load/candidates.js";
import { type Ordered, startOrder } from "../../../src/load/load-plugins.js";

const plugin = (name: string, ...requires: string[]): Ordered => ({ name, requires });
const orderOf = (...plugins: readonly Ordered[]) => {
  const found = startOrder(plugins);
  return "order" in found ? found.order.map(({ name }) => name) : found;
};

describe("plugins start", () => {
  test.each<[string, readonly Ordered[], readonly string[]]>([
    ["in the order of the list without requirements", [plugin("b"), plugin("a")], ["b", "a"]],
    ["after what they require", [plugin("a", "b"), plugin("b")], ["b", "a"]],
    ["after what that requires in turn", [plugin("a", "b"), plugin("b", "c"), plugin("c")], ["c", "b", "a"]],
    ["once, with any number of dependants", [plugin("a", "c"), plugin("b", "c"), plugin("c")], ["c", "a", "b"]],
    ["without what is not there", [plugin("a", "gone"), plugin("b")], ["a", "b"]],
    [
      "in the order in which one names its requirements",
      [plugin("a", "c", "b"), plugin("b"), plugin("c")],
      ["c", "b", "a"],
    ],
    ["not at all where there are none", [], []],
  ])("%s", (_, plugins, expected) => expect(orderOf(...plugins)).toEqual(expected));

  test.each<[string, readonly Ordered[], readonly string[]]>([
    ["one that requires itself", [plugin("a", "a")], ["a", "a"]],
    ["two that require each other", [plugin("a", "b"), plugin("b", "a")], ["a", "b", "a"]],
    [
      "a loop behind others, which are not named",
      [plugin("x"), plugin("a", "b"), plugin("b", "c"), plugin("c", "b")],
      ["b", "c", "b"],
    ],
    ["a loop that is found late", [plugin("a", "b"), plugin("b"), plugin("c", "c")], ["c", "c"]],
  ])("never with %s", (_, plugins, loop) => expect(orderOf(...plugins)).toEqual({ loop }));

  test("in an order that satisfies all requirements, unless there is a cycle", () => {
    const names = ["a", "b", "c", "d", "e"];
    const plugins = fc.tuple(...names.map((_, i) => fc.subarray(names.slice(0, i))));
    fc.assert(
      fc.property(plugins, fc.shuffledSubarray(names, { minLength: 5 }), (requires, listed) => {
        const order = orderOf(...listed.map((name) => plugin(name, ...(requires[names.indexOf(name)] ?? []))));
        expect([...(order as string[])].sort()).toEqual(names);
        for (const [i, name] of (order as string[]).entries()) {
          for (const before of requires[names.indexOf(name)] ?? []) {
            expect((order as string[]).indexOf(before)).toBeLessThan(i);
          }
        }
      }),
    );
  });
});

describe("a name in the rc file", () => {
  test.each<[string, "plugin" | "runtime", string, readonly string[]]>([
    ["is short for hooklet's own package, or is a package itself", "plugin", "gc", ["@hooklet/plugin-gc", "gc"]],
    ["may have digits and dashes", "runtime", "cri-2", ["@hooklet/runtime-cri-2", "cri-2"]],
    ["with a scope is a package", "plugin", "@acme/gc", ["@acme/gc"]],
    ["with capital letters is a package", "plugin", "Gc", ["Gc"]],
    ["that begins with a digit is a package", "plugin", "2gc", ["2gc"]],
    ["that is a path stays one", "plugin", "./gc.js", ["./gc.js"]],
    ["of 61 letters may be short", "plugin", "a".repeat(61), [`@hooklet/plugin-${"a".repeat(61)}`, "a".repeat(61)]],
    ["of 62 letters is a package", "plugin", "a".repeat(62), ["a".repeat(62)]],
    ["with something behind it is a package", "plugin", "gc!", ["gc!"]],
  ])("%s", (_, kind, specifier, expected) => expect(candidates(kind, specifier)).toEqual(expected));

  test("is shortened in messages, and only where it is hooklet's own of that kind", () => {
    expect(shortName("plugin", "@hooklet/plugin-gc")).toBe("gc");
    expect(shortName("runtime", "@hooklet/plugin-gc")).toBe("@hooklet/plugin-gc");
    expect(candidates("runtime", defaultRuntime)[0]).toBe("@hooklet/runtime-process");
  });

  test.each([
    { specifier: "./gc.js", is: true },
    { specifier: "../gc.js", is: true },
    { specifier: "/opt/gc.js", is: true },
    { specifier: "gc", is: false },
    { specifier: "gc/index.js", is: false },
    { specifier: "@acme/gc", is: false },
    { specifier: ".gc", is: false },
    { specifier: ".../gc.js", is: false },
  ])("$specifier is a path: $is", ({ specifier, is }) => expect(isPath(specifier)).toBe(is));
});
