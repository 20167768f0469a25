// Loaded into the agent under soak: how large its heap is after a collection, a line every so often. Resident memory alone does not tell:
// V8 keeps what it once had.
import { appendFileSync } from "node:fs";
import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

/** Milliseconds. */
const EVERY = 15_000;

const file = process.env.HOOKLET_SOAK_HEAP;
if (file !== undefined && isMainThread && process.argv[2] === "run") {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  setInterval(() => {
    collect();
    const { heapUsed, external, rss } = process.memoryUsage();
    const code = getHeapSpaceStatistics()
      .filter(({ space_name: name }) => name.startsWith("code"))
      .reduce((sum, { space_used_size: used }) => sum + used, 0);
    const line = { pid: process.pid, age: performance.now() / 1000, heapUsed, code, external, rss };
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  }, EVERY).unref();
}
