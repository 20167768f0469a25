/** One run, in the process that a run has. */

import { runJob } from "@hooklet/simulate";
import { defaultPlugins, sourcePlugins } from "hooklet";

export interface Measured {
  readonly cpuSeconds: number;
  readonly records: number;
  /** Containers. */
  readonly started: number;
  readonly failures: number;
  /** Bytes, after a collection, at each quarter of the run. */
  readonly heap: readonly number[];
}

const QUARTERS = 4;
const host = { url: import.meta.resolve("hooklet"), plugins: defaultPlugins, sourcePlugins };
const [file = "", until = "0"] = process.argv.slice(2);

let records = 0;
const heap: number[] = [];
const collected = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed;
};

const outcome = await runJob({ file, host, variant: {}, seed: 0 }, ({ t }) => {
  records += 1;
  while (heap.length < QUARTERS - 1 && t >= (Number(until) * (heap.length + 1)) / QUARTERS) heap.push(collected());
});
heap.push(collected());
const { user, system } = process.cpuUsage();
const measured: Measured = {
  cpuSeconds: (user + system) / 1e6,
  records,
  started: outcome.figures["containers started"] ?? 0,
  failures: outcome.expectations.filter(({ failure }) => failure !== undefined).length + outcome.failedSteps.length,
  heap,
};
process.send?.(measured, () => process.disconnect());
