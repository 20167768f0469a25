// One worker of the native runner: runs test files one after the other in this process.
import { register } from "node:module";
import { pathToFileURL } from "node:url";
import { jestExpect } from "@jest/expect";
import { addEventHandler, getState, resetState, run as runTests } from "jest-circus";
import { formatResultsErrors } from "jest-message-util";
import { lasting } from "./globals.mjs";

register("./own-copies.mjs", import.meta.url);
let runs = 0;

// Errors that no test waits for belong to the test that runs.
for (const event of ["uncaughtException", "unhandledRejection"]) {
  process.on(event, (error) => {
    const { currentlyRunningTest, unhandledErrors } = getState();
    (currentlyRunningTest?.errors ?? unhandledErrors).push(error);
  });
}

addEventHandler(({ name, test }) => {
  if (name === "test_start") jestExpect.setState({ currentTestName: nameOf(test), suppressedErrors: [] });
  if (name === "test_done") {
    test.errors.push(...jestExpect.extractExpectedAssertionsErrors().map(({ error }) => error));
    test.errors.push(...jestExpect.getState().suppressedErrors);
  }
});

const titlesOf = (test) => {
  const titles = [];
  for (let at = test; at?.parent; at = at.parent) titles.unshift(at.name);
  return titles;
};
const nameOf = (test) => titlesOf(test).join(" ");

export async function run({ path, testNamePattern, testTimeout }) {
  const start = Date.now();
  resetState();
  delete globalThis[Symbol.for("TEST_TIMEOUT_SYMBOL")];
  const state = getState();
  state.testTimeout = testTimeout;
  state.testNamePattern = testNamePattern ? new RegExp(testNamePattern, "i") : null;
  jestExpect.setState({
    testPath: path,
    assertionCalls: 0,
    expectedAssertionsNumber: null,
    isExpectingAssertions: false,
  });
  // Of sources, which are loaded once: the test kit stops what a test has forgotten.
  for (const again of lasting) again();
  await import(`${pathToFileURL(path)}?run=${++runs}`);
  const { testResults, unhandledErrors } = await runTests();
  return resultOf(path, start, testResults, unhandledErrors);
}

/** What jest makes its reports of. */
function resultOf(path, start, results, unhandledErrors) {
  const testResults = results.map(
    ({ testPath, status, errors, errorsDetailed, duration, failureReasons, startedAt, invocations }) => {
      const [, ...titles] = testPath;
      const title = titles.at(-1);
      const outcome =
        status === "done" ? (errors.length > 0 ? "failed" : "passed") : status === "skip" ? "pending" : status;
      return {
        ancestorTitles: titles.slice(0, -1),
        duration,
        failureDetails: errorsDetailed,
        failureMessages: errors,
        failureReasons,
        fullName: titles.join(" "),
        invocations,
        numPassingAsserts: 0,
        retryReasons: [],
        startAt: startedAt,
        status: outcome,
        title,
      };
    },
  );
  const count = (status) => testResults.filter((one) => one.status === status).length;
  const broken = unhandledErrors.join("\n");
  const messages = formatResultsErrors(
    testResults,
    { rootDir: process.cwd(), testMatch: [] },
    { noStackTrace: false },
    path,
  );
  const end = Date.now();
  return {
    failureMessage: [messages, broken].filter(Boolean).join("\n") || undefined,
    leaks: false,
    numFailingTests: count("failed"),
    numPassingTests: count("passed"),
    numPendingTests: count("pending"),
    numTodoTests: count("todo"),
    openHandles: [],
    perfStats: {
      start,
      end,
      runtime: end - start,
      slow: false,
      loadTestEnvironmentStart: start,
      loadTestEnvironmentEnd: start,
      setupFilesStart: start,
      setupFilesEnd: start,
    },
    skipped: false,
    snapshot: { added: 0, fileDeleted: false, matched: 0, unchecked: 0, uncheckedKeys: [], unmatched: 0, updated: 0 },
    testExecError: broken === "" ? undefined : { message: "", stack: broken },
    testFilePath: path,
    testResults,
  };
}
