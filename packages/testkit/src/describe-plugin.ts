import { pluginChecks } from "./plugin-suite/checks.js";
import type { PluginSuite } from "./plugin-suite/suite.js";
import { runner } from "./runner.js";

/**
 * The ten checks that every plugin passes, as tests of jest, vitest or Node's own runner: alone in the real agent, on a
 * simulated node in virtual time.
 */
export function describePlugin<Options>(name: string, suite: PluginSuite<Options>): void {
  runner.describe(`plugin ${name}`, () => pluginChecks(suite, (rule, run) => runner.test(rule, run)));
}
