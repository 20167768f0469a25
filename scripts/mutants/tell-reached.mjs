// Loaded by each Node program that a test starts, while `scripts/mutants.mjs` looks: tells which mutants it comes to, by their ids. Twice a second, as many
// are killed.
import { writeFileSync } from "node:fs";
import { threadId } from "node:worker_threads";

const folder = process.env.HOOKLET_REACHED;
let reported = 0;
if (folder !== undefined) {
  setInterval(tell, 500).unref();
  process.on("exit", tell);
}

function tell() {
  const ids = Object.keys(globalThis.__stryker__?.mutantCoverage?.static ?? {});
  if (ids.length === reported) return;
  reported = ids.length;
  try {
    writeFileSync(`${folder}/${process.pid}-${threadId}`, ids.join(" "));
  } catch {
    // Of a user who may not.
  }
}
