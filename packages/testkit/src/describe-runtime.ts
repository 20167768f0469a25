import { runner } from "./runner.js";
import { checker, checkerIf } from "./runtime-suite/check.js";
import { containerChecks } from "./runtime-suite/containers.js";
import { execChecks } from "./runtime-suite/exec.js";
import type { RuntimeHarness } from "./runtime-suite/harness.js";
import { imageChecks, pullChecks } from "./runtime-suite/images.js";
import { eventChecks, nodeChecks, resourceChecks } from "./runtime-suite/node.js";
import { mountChecks, processChecks, userChecks } from "./runtime-suite/process.js";
import { restartChecks } from "./runtime-suite/restarts.js";
import { sandboxChecks } from "./runtime-suite/sandboxes.js";
import { childrenChecks, stopChecks } from "./runtime-suite/stopping.js";

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
