import { runner } from "./runner.js";
import { type StrategySuite, strategyChecks } from "./strategy-suite/checks.js";

/**
 * The checks that every strategy of a point passes, as tests of jest, vitest or Node's own runner: it is made as an rc file makes it, is a pure function of its input,
 * and its decisions are legal. `Input` and `Decision` are plain data.
 */
export function describeStrategy<Strategy, Input, Decision>(
  name: string,
  suite: StrategySuite<Strategy, Input, Decision>,
): void {
  runner.describe(`strategies of ${name}`, () => strategyChecks(suite, (rule, run) => runner.test(rule, run)));
}
