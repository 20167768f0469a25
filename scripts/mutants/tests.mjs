// The processes that run unit tests on broken sources.
import { fork } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";

/** Milliseconds without a test that ends: a mutant that hangs is noticed. */
const SILENCE = 90_000;

export class TestProcess {
  #child;
  #folder;

  /** @param mutant active from the start on, for what a source does while it is loaded */
  constructor(copy, mutant) {
    this.#folder = mkdtempSync(path.join(os.tmpdir(), "hooklet-"));
    this.#child = fork(path.join(copy, "scripts/mutants/run-tests.mjs"), {
      cwd: copy,
      execArgv: ["--import=tsx", "--conditions=hooklet-source", "--disable-warning=ExperimentalWarning"],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      env: {
        ...process.env,
        TMPDIR: this.#folder,
        TSX_TSCONFIG_PATH: path.join(copy, "scripts/jest/tsconfig.json"),
        ...(mutant === undefined ? {} : { __STRYKER_ACTIVE_MUTANT__: mutant }),
      },
    });
  }

  /** The files that failed, and what each came to; undefined where it comes to no end. */
  run(files, mutant, untilFailure = true) {
    const child = this.#child;
    return new Promise((resolve) => {
      const over = (answer) => {
        clearTimeout(hangs);
        child.removeAllListeners();
        if (answer === undefined) this.end();
        resolve(answer);
      };
      const hangs = setTimeout(() => over(), SILENCE);
      child.once("exit", () => over());
      child.on("message", (message) => {
        if (message.isAlive) hangs.refresh();
        else over(message);
      });
      child.send({ files, mutant, untilFailure });
    });
  }

  end() {
    this.#child.kill("SIGKILL");
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
