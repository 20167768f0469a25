// A reporter of jest: how far a run is. Without a terminal jest itself tells no number until its end.
export default class Progress {
  onTestResult(_test, _result, { numTotalTestSuites: all, ...counts }) {
    const { numPassedTestSuites: passed, numFailedTestSuites: failed, numPendingTestSuites: skipped } = counts;
    const bad = failed > 0 ? `, ${failed} failed` : "";
    console.error(`${passed + failed + skipped} of ${all} test files${bad}`);
  }
}
