import { describe, expect, test } from "@jest/globals";
import { type Held, mergeHeld, ownerOf } from "../../src/layers.js";

/** Layers by number, the weakest first. */
const held = (...values: readonly unknown[]): readonly Held<number>[] =>
  values.map((value, layer) => ({ layer, value }));
const merged = (...values: readonly unknown[]): unknown => mergeHeld(held(...values));

describe("of several layers", () => {
  test.each<[string, readonly unknown[], unknown]>([
    ["none make nothing", [], undefined],
    ["one is as it is", [{ a: 1 }], { a: 1 }],
    [
      "objects are merged key by key",
      [
        { a: 1, b: 1 },
        { b: 2, c: 2 },
      ],
      { a: 1, b: 2, c: 2 },
    ],
    ["objects within objects as well", [{ a: { b: 1, c: 1 } }, { a: { c: 2 } }], { a: { b: 1, c: 2 } }],
    ["a list replaces the list before it whole", [{ a: [1, 2] }, { a: [3] }], { a: [3] }],
    ["a value replaces an object", [{ a: { b: 1 } }, { a: 2 }], { a: 2 }],
    ["null replaces an object", [{ a: { b: 1 } }, { a: null }], { a: null }],
    ["an object replaces a value", [{ a: 1 }, { a: { b: 2 } }], { a: { b: 2 } }],
    [
      "what an object shows does not reach through a value before it",
      [{ a: { b: 1 } }, { a: 2 }, { a: { c: 3 } }, { a: { d: 4 } }],
      { a: { c: 3, d: 4 } },
    ],
    [
      "another strategy replaces one with its options",
      [{ a: { use: "x", options: { b: 1 } } }, { a: { use: "y" } }, { a: { options: { c: 2 } } }],
      { a: { use: "y", options: { c: 2 } } },
    ],
    [
      "the same strategy keeps its options, and those of a layer that names none are merged",
      [{ a: { options: { b: 1 } } }, { a: { use: "x", options: { c: 1 } } }, { a: { use: "x", options: { d: 1 } } }],
      { a: { use: "x", options: { b: 1, c: 1, d: 1 } } },
    ],
    ["a key that is undefined is no key", [{ a: 1 }, { a: undefined }], { a: 1 }],
    ["a key that is undefined everywhere is left out", [{ a: undefined }, { a: undefined, b: 1 }], { b: 1 }],
    ["a name that every object inherits is a key like others", [{ constructor: 1 }, {}], { constructor: 1 }],
  ])("%s", (_, layers, expected) => expect(merged(...layers)).toEqual(expected));

  test("an instance of a class is a value: its fields are not merged", () => {
    const when = new Date(0);
    expect((merged({ a: { b: 1 } }, { a: when }) as { readonly a: unknown }).a).toBe(when);
  });
});

describe("a value belongs to", () => {
  test.each<[string, readonly unknown[], readonly (string | number)[], object | undefined]>([
    ["the layer that set it", [{ a: 1 }, { b: 2 }], ["a"], { layer: 0, isSet: true }],
    ["the last layer of those that set it", [{ a: 1 }, { a: 2 }], ["a"], { layer: 1, isSet: true }],
    ["the layer that set it deep inside", [{ a: { b: 1 } }, { a: { c: 2 } }], ["a", "b"], { layer: 0, isSet: true }],
    [
      "the last layer that has the object around it, where it is missed",
      [{ a: {} }, { a: {} }, {}],
      ["a", "b"],
      { layer: 1, isSet: false },
    ],
    ["the last layer, where nothing around it is there", [{ a: 1 }, {}], ["x", "y"], { layer: 1, isSet: false }],
    [
      "the layer of the list that it is an entry of",
      [{ a: ["x"] }, { a: ["y", "z"] }],
      ["a", 1],
      { layer: 1, isSet: true },
    ],
    [
      "the layer of the list in which it is missed",
      [{ a: ["x", "y"] }, { a: ["z"] }],
      ["a", 1],
      { layer: 1, isSet: false },
    ],
    ["the layer whose value hides it", [{ a: { b: 1 } }, { a: 2 }], ["a", "b"], { layer: 1, isSet: false }],
    [
      "the layer of another strategy, which hides the options of the first",
      [{ a: { use: "x", options: { b: 1 } } }, { a: { use: "y" } }],
      ["a", "options", "b"],
      { layer: 1, isSet: false },
    ],
    ["the last layer, for the whole", [{ a: 1 }, { b: 1 }], [], { layer: 1, isSet: true }],
    ["none, without a layer", [], ["a"], undefined],
    ["none, without a layer, for the whole", [], [], undefined],
  ])("%s", (_, layers, path, owner) => expect(ownerOf(held(...layers), path)).toEqual(owner));
});
