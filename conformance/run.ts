/** `pnpm conformance`: checks conformance/vectors, or the folder that HOOKLET_VECTORS names. */
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { runConformance } from "./runner.js";

// Package managers start scripts at the root; a relative folder is meant from where the person stands.
const startedIn = process.env.INIT_CWD ?? process.cwd();
const chosen = process.env.HOOKLET_VECTORS;
// This file runs from conformance/dist.
const directory = chosen ? resolve(startedIn, chosen) : fileURLToPath(new URL("../vectors", import.meta.url));

// Timers of the agent's clock do not hold the process; as long as cases run, this one does.
const running = setInterval(() => undefined, 2 ** 30);
try {
  const { passed, failed, skipped } = await runConformance(directory, { print: (line) => console.log(line) });
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  if (failed > 0) process.exitCode = 1;
} catch (error) {
  console.error(`The vectors in ${directory} could not be checked: ${error instanceof Error ? error.message : error}`);
  process.exitCode = 1;
} finally {
  clearInterval(running);
}

// A connection or a timer that hooklet's code left behind is a fault too.
setTimeout(() => {
  console.error(`Something is still open after the last case: ${process.getActiveResourcesInfo().join(", ")}`);
  process.exit(1);
}, 10_000).unref();
