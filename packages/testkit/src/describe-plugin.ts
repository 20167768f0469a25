import { describe, test } from "@jest/globals";
import { pluginChecks } from "./plugin-suite/checks.js";
import type { PluginSuite } from "./plugin-suite/suite.js";

/**
 * The ten checks that every plugin passes, as jest tests: on the real hooks and in the real plugin host, with a
 * simulated runtime and virtual time.
 */
export function describePlugin<Options>(name: string, suite: PluginSuite<Options>): void {
  describe(`plugin ${name}`, () => pluginChecks(suite, (rule, run) => test(rule, run)));
}
