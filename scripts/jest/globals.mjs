// What "@jest/globals" is under the native runner.
import { jestExpect } from "@jest/expect";
import { afterEach as afterEachHere } from "jest-circus";
import { ModuleMocker } from "jest-mock";

export { afterAll, beforeAll, beforeEach, describe, it, test } from "jest-circus";

/**
 * Hooks that sources have registered: they hold for each later test file of the worker too. On the global object, since the loader may
 * give sources another copy of this module than the worker has.
 */
const LASTING = Symbol.for("hooklet.test.lasting");
globalThis[LASTING] ??= [];
export const lasting = globalThis[LASTING];

export function afterEach(run, milliseconds) {
  const caller = new Error().stack?.split("\n")[2] ?? "";
  if (/\/packages\/[^/]+\/src\//.test(caller)) lasting.push(() => afterEachHere(run, milliseconds));
  afterEachHere(run, milliseconds);
}

export const expect = jestExpect;

const mocker = new ModuleMocker(globalThis);

export const jest = {
  fn: mocker.fn.bind(mocker),
  spyOn: mocker.spyOn.bind(mocker),
  restoreAllMocks: mocker.restoreAllMocks.bind(mocker),
  setTimeout(milliseconds) {
    // Where jest-circus looks for it when the tests of a file begin.
    globalThis[Symbol.for("TEST_TIMEOUT_SYMBOL")] = milliseconds;
    return jest;
  },
};
