/** The suites as a test file calls them. */

import { pluginChecks } from "./plugin-suite/plugin-checks.js";
import type { PluginSuite } from "./plugin-suite/plugin-suite.js";
import { runner } from "./runner.js";
import { checker, checkerIf } from "./runtime-suite/checker.js";
import { containerChecks } from "./runtime-suite/container-checks.js";
import { execChecks } from "./runtime-suite/exec-checks.js";
import type { RuntimeHarness } from "./runtime-suite/harness.js";
import { eventChecks, imageChecks, nodeChecks, pullChecks, resourceChecks } from "./runtime-suite/node-checks.js";
import { mountChecks, processChecks, userChecks } from "./runtime-suite/process-checks.js";
import { sandboxChecks } from "./runtime-suite/sandbox-checks.js";
import { childrenChecks, restartChecks, stopChecks } from "./runtime-suite/stop-checks.js";
import { type StrategySuite, strategyChecks } from "./strategy-suite/strategy-checks.js";

/**
 * The ten checks that every plugin passes, as tests of jest, vitest or Node's own runner: alone in the real agent, on a
 * simulated node in virtual time.
 */
export function describePlugin<Options>(name: string, suite: PluginSuite<Options>): void {
  runner.describe(`plugin ${name}`, () => pluginChecks(suite, (rule, run) => runner.test(rule, run)));
}

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

/**
 * The conformance suite of the runtime port: every sentence of core's `runtime/port.ts` as jest tests. A runtime that
 * passes it can carry the core.
 *
 * @param name the runtime's name, the head of the tests' titles
 */
export function describeRuntime(name: string, harness: RuntimeHarness): void {
  const check = checker(harness);
  const where = (possible: boolean) => checkerIf(possible, harness);
  const { mounts, users, pulls, resources, events } = harness.powers;
  runner.describe(`runtime ${name}`, () => {
    runner.describe("sandboxes", () => sandboxChecks(check));
    runner.describe("containers", () => containerChecks(check));
    runner.describe("stopping", () => {
      stopChecks(check);
      childrenChecks(where(mounts && harness.programs.forksChildren !== undefined));
    });
    runner.describe("processes", () => {
      processChecks(check);
      mountChecks(where(mounts));
      userChecks(where(users));
    });
    runner.describe("exec", () => execChecks(check));
    runner.describe("images", () => {
      imageChecks(check);
      pullChecks(where(pulls));
    });
    runner.describe("node", () => {
      nodeChecks(check);
      resourceChecks(where(resources));
      eventChecks(where(events));
    });
    runner.describe("restarts of the agent", () => restartChecks(check));
  });
}
