// A part of a list of tests on a cluster of its own, in a network namespace of its own: ports that nothing else uses.
import { spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** In the folder of a run: what became of each test, as pairs of name and result. */
export const RESULTS = "results.json";
const SCRIPT = fileURLToPath(new URL("../kube.mjs", import.meta.url));

export class Apart {
  #folder;
  #process;
  #ended;

  constructor(name, index, tests, { out, processes }) {
    this.#folder = path.join(out, `apart-${index}`);
    mkdirSync(this.#folder, { recursive: true });
    const list = path.join(this.#folder, "list");
    writeFileSync(list, `${tests.join("\n")}\n`);
    const log = openSync(path.join(this.#folder, "log"), "w");
    const words = [SCRIPT, "list", list, "--runtime", "process", "-j", `${processes}`, "--out", this.#folder];
    const inside = ["--net", "sh", "-c", 'ip link set lo up; exec "$@"', "sh", process.execPath, ...words];
    const env = { ...process.env, HOOKLET_KUBE_NAME: `${name.slice(0, 5)}x${index}` };
    this.#process = spawn("unshare", inside, { stdio: ["ignore", log, log], env });
    closeSync(log);
    // Where a signal ends the run nothing waits for it; it removes its cluster all the same.
    process.once("exit", () => this.#process.kill("SIGINT"));
    this.#ended = new Promise((resolve) => {
      for (const event of ["exit", "error"]) this.#process.once(event, resolve);
    });
  }

  /** Of its tests, when all have ended; those without one did not run. */
  async results() {
    await this.#ended;
    const file = path.join(this.#folder, RESULTS);
    const found = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : [];
    for (const [name, { state }] of found) console.log(`${state}  ${name}`);
    return found;
  }

  /** It takes its cluster away. */
  async end() {
    this.#process.kill("SIGINT");
    await this.#ended;
  }
}
