/** Keys that would reach into every object of the process, in what is read from outside. */
import { afterEach, expect, test } from "@jest/globals";
import { faultsOf, load } from "../../fixture.js";

afterEach(() => {
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect(Object.keys(Object.prototype)).toEqual([]);
});

const KEYS = ["__proto__", "constructor", "prototype"];
const PLACES: readonly ((key: string) => object)[] = [
  (key) => poison(key),
  (key) => ({ node: poison(key) }),
  (key) => ({ runtime: { use: "process", options: poison(key) } }),
];

/** As a key like any other, which a literal would not have. */
function poison(key: string): object {
  const value = key === "constructor" ? { prototype: { polluted: 1 } } : { polluted: 1 };
  return JSON.parse(`{ ${JSON.stringify(key)}: ${JSON.stringify(value)} }`) as object;
}

const cases = KEYS.flatMap((key) => PLACES.map((place) => ({ key, text: JSON.stringify(place(key)) }))).filter(
  // Schemas of zod pass over this one key: it is reported where hooklet reads it itself, and is without effect elsewhere.
  ({ text }) => !/"options":\{"__proto__"/.test(text),
);

test("in the options of a runtime __proto__ is without effect", async () => {
  const text = JSON.stringify({ runtime: { use: "process", options: poison("__proto__") } });
  await expect(load({ files: { ".hookletrc.json": text } })).resolves.toBeDefined();
});

test.each(cases)("an rc file with $text reports $key, as JSON and as YAML", async ({ key, text }) => {
  for (const name of [".hookletrc.json", ".hookletrc.yaml"]) {
    const faults = await faultsOf({ files: { [name]: text } });
    expect(JSON.stringify(faults)).toContain(key);
  }
});

test.each(cases)("so does one that extends a file with $text", async ({ key, text }) => {
  const faults = await faultsOf({ files: { ".hookletrc.json": '{ "extends": "./base.json" }', "base.json": text } });
  expect(JSON.stringify(faults)).toContain(key);
});
