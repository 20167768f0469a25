// A reporter of jest: how far a run is, and at its end the results as a file for scripts/jest.mjs.
import { writeFileSync } from "node:fs";

export default class Reporter {
  onTestResult(_test, _result, { numTotalTestSuites: all, ...counts }) {
    const { numPassedTestSuites: passed, numFailedTestSuites: failed, numPendingTestSuites: skipped } = counts;
    const bad = failed > 0 ? `, ${failed} failed` : "";
    console.error(`${passed + failed + skipped} of ${all} test files${bad}`);
  }

  onRunComplete(_contexts, { testResults, ...totals }) {
    const results = testResults.map(
      ({ testFilePath, testResults: tests, testExecError, numFailingTests, perfStats }) => ({
        name: testFilePath,
        status: numFailingTests > 0 || testExecError ? "failed" : "passed",
        milliseconds: perfStats.runtime,
        assertionResults: tests.map(({ fullName, status }) => ({ fullName, status })),
      }),
    );
    writeFileSync(process.env.HOOKLET_TEST_REPORT, JSON.stringify({ ...totals, testResults: results }));
  }
}
