/** The test runner that runs this file: jest, vitest, or Node's own. */

import { relative } from "node:path";
import * as nodeTest from "node:test";
import type * as jest from "@jest/globals";

export interface Runner {
  readonly describe: (name: string, define: () => void) => void;
  readonly test: ((rule: string, run: () => Promise<void> | void, milliseconds?: number) => void) & {
    readonly skip: (rule: string, run: () => void) => void;
  };
  readonly afterEach: (run: () => Promise<void> | void) => void;
  /** Node's own runner has none. */
  readonly expect?: typeof jest.expect;
}

/** Names that this package does not depend on: a project that runs tests with one has it. */
const VITEST: string = "vitest";
const JEST: string = "@jest/globals";

async function find(): Promise<Runner> {
  // vitest sets jest's variable as well.
  if (process.env.VITEST !== undefined) return (await import(VITEST)) as Runner;
  if (process.env.JEST_WORKER_ID !== undefined) return (await import(JEST)) as unknown as Runner;
  const { describe, test } = nodeTest;
  const run: Runner["test"] = Object.assign((rule: string, body: () => Promise<void> | void) => void test(rule, body), {
    skip: (rule: string) => void test.skip(rule),
  });
  return { describe: (name, define) => void describe(name, define), test: run, afterEach: nodeAfterEach };
}

/** What `node --test` takes for tests: by its name in any folder, or any file in a folder `test`. https://nodejs.org/api/test.html#running-tests-from-the-command-line */
const TEST_FILE = /(?:[.\-_]test|(?:^|[\\/])test(?:-[^\\/]*)?|(?:^|[\\/])test[\\/].*)\.[cm]?[jt]s$/;

/**
 * A hook of Node's runner makes Node report on tests, also in a program that has none and only starts an agent: there it runs once, when
 * nothing else is left to do. A plugin that listens keeps such a program alive until it calls `agent.stop()`.
 */
function nodeAfterEach(run: () => Promise<void> | void): void {
  const isTest =
    process.env.NODE_TEST_CONTEXT !== undefined || TEST_FILE.test(relative(process.cwd(), process.argv[1] ?? ""));
  if (isTest) nodeTest.afterEach(run);
  else process.once("beforeExit", () => void run());
}

export const runner: Runner = await find();

const none = (): never => {
  throw new Error("The checks of a runtime need the matchers of jest or vitest: run them there.");
};

/** jest's matchers, which vitest has too; under Node's runner each use throws. */
export const expect: typeof jest.expect =
  runner.expect ?? (new Proxy(none, { get: none }) as unknown as typeof jest.expect);
