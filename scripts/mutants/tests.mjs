// The processes that run tests on broken sources.
import { fork } from "node:child_process";
import { chmodSync, mkdtempSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { takeAway } from "../jest/leftovers.mjs";

/** Milliseconds without a test that ends: a mutant that hangs is noticed; with none, a test may take its time. */
const SILENCE = 90_000;
const PATIENCE = 300_000;

export class TestProcess {
  static #all = new Set();
  #child;
  #folder;

  /** @param mutant active from the start on, for what a source does while it is loaded */
  constructor(copy, mutant) {
    TestProcess.#all.add(this);
    this.#folder = mkdtempSync(path.join(os.tmpdir(), "hooklet-"));
    // Some tests act as other users.
    chmodSync(this.#folder, 0o755);
    this.#child = fork(path.join(copy, "scripts/mutants/run-tests.mjs"), {
      cwd: copy,
      execArgv: [
        `--import=${path.join(copy, "scripts/jest/tsx.mjs")}`,
        "--conditions=hooklet-source",
        "--disable-warning=ExperimentalWarning",
      ],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      env: {
        ...process.env,
        TMPDIR: this.#folder,
        // By this the test kit knows whose suites it makes.
        JEST_WORKER_ID: "1",
        TSX_TSCONFIG_PATH: path.join(copy, "scripts/jest/tsconfig.json"),
        ...(mutant === undefined ? {} : { __STRYKER_ACTIVE_MUTANT__: mutant }),
      },
    });
  }

  /** False: it ended by itself, between two runs too. */
  get isAlive() {
    return this.#child.connected;
  }

  /** Runs all of them with nothing broken: the files that failed, what each came to, and how long it took. */
  look(files) {
    return this.#run({ files, looks: true }, PATIENCE);
  }

  /** The file that failed, if any; undefined where it comes to no end. */
  run(files, mutant) {
    return this.#run({ files, mutant }, SILENCE);
  }

  #run(job, silence) {
    const child = this.#child;
    // Interrupted: nothing is reported any more.
    if (!TestProcess.#all.has(this)) return new Promise(() => {});
    return new Promise((resolve) => {
      const over = (answer) => {
        clearTimeout(hangs);
        child.removeAllListeners();
        if (answer === undefined) child.kill("SIGKILL");
        resolve(answer);
      };
      const hangs = setTimeout(() => over(), silence);
      child.once("exit", () => over());
      child.on("message", (message) => {
        if (message.isAlive) hangs.refresh();
        else over(message);
      });
      child.send(job);
    });
  }

  /** With all that the tests have started and made. */
  async end() {
    if (!TestProcess.#all.delete(this)) return;
    // A caller that still waits gets no answer: this ends it.
    this.#child.removeAllListeners();
    this.#child.kill("SIGKILL");
    await takeAway(this.#folder);
  }

  static async endAll() {
    await Promise.all([...TestProcess.#all].map((one) => one.end()));
  }
}
