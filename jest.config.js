// Three kinds of tests, by the folder they lie in. `npm test` runs unit and real, `npm run test:all` also deep; the last four projects have
// commands of their own. Sources and tests are loaded as they are: see scripts/jest/runner.mjs.
const project = (displayName, folders, testTimeout) => ({
  displayName,
  testMatch: folders.map(
    (folder) => folder.replace(/^(!?)/, "$1<rootDir>/") + (folder.endsWith(".ts") ? "" : "/**/*.test.ts"),
  ),
  runner: "<rootDir>/scripts/jest/runner.mjs",
  transform: {},
  testTimeout,
  modulePathIgnorePatterns: ["/dist/"],
});

const SECOND = 1_000;
/** Waits end on conditions; on a busy machine these may take long. */
const PATIENCE = 180 * SECOND;

export default {
  projects: [
    // Pure functions and virtual time; the rules of the house, the facts about the kubelet.
    project("unit", ["packages/*/test/unit", "test/unit", "conformance", "fuzz"], 20 * SECOND),
    // Real processes, containers, sockets, kernel files: at least one story for each thing that hooklet does, on each runtime.
    project("real", ["packages/*/test/real", "test/real"], PATIENCE),
    // Long or exhaustive, or in need of a browser or of packages that are installed.
    project("deep", ["packages/*/test/deep", "test/deep/*.test.ts"], PATIENCE),
    project("plugins", ["test/deep/plugins"], PATIENCE),
    project("kube", ["test/deep/kube"], PATIENCE),
    project("truth", ["test/deep/truth"], PATIENCE),
    project("install", ["test/deep/install"], PATIENCE),
  ],
};
