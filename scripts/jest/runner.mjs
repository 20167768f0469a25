// A runner for jest that loads modules once for each worker: jest's own loads all of them again for each test file, in virtual machines
// of its own, which costs more than most of the tests. Sources and tests are TypeScript; tsx translates them. What this gives up: module
// mocks, snapshot files and globals of each file's own; no test here uses them.
import { fileURLToPath } from "node:url";
import { Worker } from "jest-worker";

const here = (file) => fileURLToPath(new URL(file, import.meta.url));

export default class NativeRunner {
  supportsEventEmitters = false;

  constructor(globalConfig) {
    this.globalConfig = globalConfig;
  }

  async runTests(tests, watcher, onStart, onResult, onFailure) {
    const { maxWorkers, testNamePattern } = this.globalConfig;
    process.env.TSX_TSCONFIG_PATH = here("tsconfig.json");
    const workers = new Worker(here("worker.mjs"), {
      numWorkers: Math.min(maxWorkers, tests.length),
      exposedMethods: ["run"],
      forkOptions: {
        execArgv: [
          `--import=${new URL("tsx.mjs", import.meta.url)}`,
          "--conditions=hooklet-source",
          "--disable-warning=ExperimentalWarning",
          "--max-semi-space-size=32",
        ],
        stdio: ["ignore", "inherit", "inherit", "ipc"],
      },
      idleMemoryLimit: 1_500_000_000,
    });
    const one = async (test) => {
      if (watcher.isInterrupted()) return;
      await onStart(test);
      const { testTimeout } = test.context.config;
      try {
        await onResult(test, await workers.run({ path: test.path, testNamePattern, testTimeout }));
      } catch (error) {
        await onFailure(test, error);
      }
    };
    try {
      await Promise.all(tests.map(one));
    } finally {
      await workers.end();
    }
  }
}
