// Loaded into the agent under soak: how large its heap and its resident memory are after a collection, and how many objects are alive, a
// line every so often. Between collections both say only how much garbage there is.
import { appendFileSync } from "node:fs";
import path from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import {
  getHeapCodeStatistics,
  getHeapSpaceStatistics,
  queryObjects,
  setFlagsFromString,
  writeHeapSnapshot,
} from "node:v8";
import { runInNewContext } from "node:vm";
import { isMainThread } from "node:worker_threads";

/** Milliseconds. */
const EVERY = 10_000;

const file = process.env.HOOKLET_SOAK_HEAP;
/** Ages in seconds, separated by commas: a snapshot of the heap at each, into the folder of `file`. */
const snapshots = (process.env.HOOKLET_SOAK_SNAPSHOTS ?? "").split(",").filter(Boolean).map(Number);

async function measure(collect) {
  // What finalizers let go of goes with the second.
  collect();
  await turn();
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  const spaces = getHeapSpaceStatistics().filter(({ space_name: name }) => name.startsWith("code"));
  const machine = spaces.reduce((sum, { space_used_size: used }) => sum + used, 0);
  const code = machine + getHeapCodeStatistics().bytecode_and_metadata_size;
  const objects = queryObjects(Object, { format: "count" });
  const line = { pid: process.pid, age: performance.now() / 1000, heapUsed, code, objects, external, rss };
  appendFileSync(file, `${JSON.stringify(line)}\n`);
  if (snapshots.length > 0 && line.age > snapshots[0])
    writeHeapSnapshot(path.join(path.dirname(file), `at-${snapshots.shift()}.heapsnapshot`));
}

if (file !== undefined && isMainThread && process.argv[2] === "run") {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc");
  setInterval(() => measure(collect), EVERY).unref();
}
