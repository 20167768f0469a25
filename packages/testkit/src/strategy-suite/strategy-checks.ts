// Not the strict one: values of another realm, as jest has it, have other prototypes. Copies of one realm can be compared strictly.
import assert from "node:assert";
import { definePlugin, type StrategyTable } from "@hooklet/core";
import { deepFreeze, invalid } from "@hooklet/utils";
import { loadForTest, PluginOptionsError } from "../load-for-test.js";

/** The description of a strategy point for the checks. */
export interface StrategySuite<Strategy, Input, Decision> {
  /** The plugin's table; for a strategy of your own a table with that one entry. */
  readonly table: StrategyTable<Strategy>;
  /** By the entry's name, where it cannot be made without options. */
  readonly options?: Readonly<Record<string, object>>;
  /** Named; made afresh for each decision. */
  readonly inputs: Readonly<Record<string, () => Input>>;
  readonly decide: (strategy: Strategy, input: Input) => Decision;
  /**
   * Throws, as `expect` does, for a decision that the point's plugin would not use. Its package exports what is wrong with one:
   * `(answer, input) => assert.equal(rankingFault(answer, input), undefined)`.
   */
  readonly legal: (decision: Decision, input: Input) => void;
}

const POINT = "strategy";

/** Registers the checks of every entry: made as an rc file makes it, and pure on every input. */
export function strategyChecks<Strategy, Input, Decision>(
  suite: StrategySuite<Strategy, Input, Decision>,
  register: (rule: string, run: () => Promise<void>) => void,
): void {
  // In JavaScript no compiler asks for it, and without it an answer that no plugin uses would pass.
  if (typeof suite.legal !== "function")
    throw invalid(
      "legal of describeStrategy",
      "a function that throws for a decision that cannot be used",
      suite.legal,
    );
  const plugin = definePlugin({
    meta: { name: "strategies", api: 1 },
    options: (z) => z.object({}),
    strategies: { [POINT]: suite.table },
    start() {},
  });
  const make = async (use: string, options: object = suite.options?.[use] ?? {}): Promise<Strategy> => {
    const loaded = await loadForTest(plugin, { [POINT]: { use, options } });
    return loaded.strategies?.[POINT] as Strategy;
  };
  for (const [name, { description }] of Object.entries(suite.table)) {
    register(`${name}: says what it does, and refuses an option that does not exist`, async () => {
      assert.notEqual(description, "");
      const refusal = await make(name, { ...suite.options?.[name], noSuchOption: 1 }).catch((error: unknown) => error);
      assert.ok(refusal instanceof PluginOptionsError, `expected a refusal, found ${String(refusal)}`);
      assert.deepEqual(refusal.fields, [`${POINT}.options.noSuchOption`]);
    });
    for (const [what, input] of Object.entries(suite.inputs)) {
      register(`${name}: decides the same each time, at once, and changes nothing: ${what}`, async () => {
        const strategy = await make(name);
        const first = suite.decide(strategy, deepFreeze(input()));
        assert.ok(!(first instanceof Promise), "expected a decision at once, found a promise");
        suite.legal(first, input());
        const before = structuredClone(first);
        const same = (decision: Decision): void => assert.deepStrictEqual(structuredClone(decision), before);
        same(suite.decide(strategy, deepFreeze(input())));
        same(suite.decide(await make(name), deepFreeze(input())));
        same(first);
      });
    }
  }
}
