import { describe, test } from "@jest/globals";
import { type StrategySuite, strategyChecks } from "./strategy-suite/checks.js";

/**
 * The checks that every strategy of a point passes, as jest tests: it is made as an rc file makes it, is a pure function of its input,
 * and its decisions are legal. `Input` and `Decision` are plain data.
 */
export function describeStrategy<Strategy, Input, Decision>(
  name: string,
  suite: StrategySuite<Strategy, Input, Decision>,
): void {
  describe(`strategies of ${name}`, () => strategyChecks(suite, (rule, run) => test(rule, run)));
}
