import type { StrategyEntry } from "@hooklet/core";
import { expect, test } from "@jest/globals";
import { describeStrategy } from "../../src/describe.js";
import { type StrategySuite, strategyChecks } from "../../src/strategy-suite/strategy-checks.js";

type Pick = (names: readonly string[]) => readonly string[];
type Suite = StrategySuite<Pick, readonly string[], readonly string[]>;

const entry = (create: () => Pick): StrategyEntry<Pick> => ({
  description: "picks names",
  options: (z) => z.object({}),
  create,
});

const suite = (table: Suite["table"]): Suite => ({
  table,
  inputs: { "no names": () => [], "three names": () => ["b", "c", "a"] },
  decide: (pick, names) => pick(names),
  legal: (picked, names) => expect(names).toEqual(expect.arrayContaining([...picked])),
});

describeStrategy("the test", {
  ...suite({
    first: entry(() => (names) => names.slice(0, 1)),
    some: {
      description: "so many, in order",
      options: (z) => z.object({ count: z.number() }),
      create:
        ({ count }: { count: number }): Pick =>
        (names) =>
          names.toSorted().slice(0, count),
    },
  }),
  options: { some: { count: 2 } },
});

/** The rules that a strategy breaks. */
async function broken(create: () => Pick): Promise<readonly string[]> {
  const checks: { readonly rule: string; run(): Promise<void> }[] = [];
  strategyChecks(suite({ bad: entry(create) }), (rule, run) => checks.push({ rule, run }));
  const found: string[] = [];
  for (const { rule, run } of checks) await run().catch(() => found.push(rule));
  return found;
}

let calls = 0;

test.each<[string, () => Pick]>([
  ["changes its input", () => (names) => (names as string[]).sort()],
  ["answers later", () => (async (names) => names) as (names: readonly string[]) => never],
  ["remembers earlier calls", () => (names) => names.slice(0, calls++ % 2)],
  ["decides what is not legal", () => (names) => names.map((name) => `${name}!`)],
])("a strategy that %s is found out", async (_name, create) => {
  expect(await broken(create)).toContain("bad: decides the same each time, at once, and changes nothing: three names");
});

test("without a rule of what is legal there are no checks: JavaScript would pass with answers that no plugin uses", () => {
  const { legal: _, ...without } = suite({});
  expect(() => strategyChecks(without as Suite, () => undefined)).toThrow(
    "legal of describeStrategy: expected a function that throws for a decision that cannot be used, found nothing.",
  );
});
