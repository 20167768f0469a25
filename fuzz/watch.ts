/** Runs a target in workers, begins a new one after each crash or stall, and says what failed. */
import { Worker } from "node:worker_threads";
import { cpuMilliseconds, Progress } from "./progress.js";
import { type Failed, type Message, NONE, type Report } from "./report.js";
import type { Work } from "./worker.js";

/**
 * Milliseconds of CPU, or of any clock, without a sign of life: a stall, if the input stalls a second time on its own. By the clock they
 * are many: where others have the processors (nice 19) a worker may well not run for a minute.
 */
const STALL = 1_000;
const SILENCE = 180_000;
/** Megabytes of a worker's heap. */
const HEAP = 512;
/** Different failures after which a target is given up. */
const ENOUGH = 20;
/** Bytes that the heap may grow from the first fifth to the end; and, once it is more than a cache that fills, for each input. */
const GROWTH = 64 * 1024 ** 2;
const CACHES = 8 * 1024 ** 2;
const GROWTH_OF_ONE = 2 * 1024;

export interface Job {
  readonly target: string;
  readonly seed: number;
  /** The number of the first input, and the one before which it does not end. */
  readonly from: number;
  readonly least: number;
  /** Of CPU, before which it does not end either. */
  readonly milliseconds: number;
}

export interface Findings extends Report {
  readonly failures: readonly Failed[];
}

/** `at`: hears now and then which input is under way. */
export async function fuzz(
  { target, seed, least, milliseconds, ...job }: Job,
  at: (index: number) => void = () => {},
): Promise<Findings> {
  const began = cpuMilliseconds();
  /** One of each kind. */
  const failures = new Map<string, Failed>();
  const failed = (one: Failed): void => {
    if (!failures.has(kindOf(one.error))) failures.set(kindOf(one.error), one);
  };
  let sum: Report = nothing;
  let { from } = job;
  while (failures.size < ENOUGH) {
    const left = Math.max(0, milliseconds - (cpuMilliseconds() - began));
    if (from >= least && left === 0) break;
    const run = await runWorker({ target, seed, from, least, milliseconds: left }, at);
    run.failed.forEach(failed);
    if (run.report !== undefined) {
      sum = add(sum, run.report);
      const { growth, inputs } = run.report;
      if (growth > GROWTH || (growth > CACHES && growth > GROWTH_OF_ONE * inputs))
        failed({ index: -1, error: `the heap grew by ${Math.round(growth / 1024 ** 2)} MiB over ${inputs} inputs` });
      break;
    }
    // The worker is gone: was it this input?
    const suspect = Math.max(from, run.index);
    sum = { ...sum, inputs: sum.inputs + suspect - from };
    const alone = await runWorker({ target, seed, from: suspect, least: suspect + 1, milliseconds: 0 }, at);
    if (alone.report === undefined) failed({ index: suspect, error: alone.end });
    alone.failed.forEach(failed);
    from = suspect + 1;
  }
  return { ...sum, failures: [...failures.values()] };
}

/** The error and where it comes from, without what differs from input to input. */
function kindOf(error: string): string {
  const [first = "", ...frames] = error.split("\n");
  const place = frames.find((line) => line.includes("/packages/")) ?? "";
  return `${first.replaceAll(/[\d"'].*/g, "")} ${place.trim()}`;
}

interface Run {
  readonly report: Report | undefined;
  readonly failed: readonly Failed[];
  /** Why there is no report. */
  readonly end: string;
  /** The last input that was begun. */
  readonly index: number;
}

function runWorker(work: Omit<Work, "memory">, at: (index: number) => void): Promise<Run> {
  const progress = new Progress();
  const worker = new Worker(new URL("./worker.js", import.meta.url), {
    workerData: { ...work, memory: progress.memory } satisfies Work,
    resourceLimits: { maxOldGenerationSizeMb: HEAP },
  });
  return new Promise((resolve) => {
    let report: Report | undefined;
    let end = "the worker ended without a report";
    const failed: Failed[] = [];
    let [beats, since, used] = [0, performance.now(), cpuMilliseconds()];
    const watch = setInterval(() => {
      at(progress.index);
      if (progress.beats !== beats) [beats, since, used] = [progress.beats, performance.now(), cpuMilliseconds()];
      const [silence, busy] = [performance.now() - since, cpuMilliseconds() - used];
      // Before the first sign of life its modules are being loaded.
      if (beats === 0 || (busy < STALL && silence < SILENCE)) return;
      end = `no sign of life for ${Math.round(silence)} ms, ${Math.round(busy)} ms of CPU`;
      clearInterval(watch);
      void worker.terminate();
    }, 100);
    worker.on("message", (message: Message) => {
      if (message.kind === "failed") {
        failed.push(message.failed);
        return;
      }
      report = message.report;
      // Its last word. Threads with HTTP/2 behind them do not always end by themselves.
      void worker.terminate();
    });
    worker.on("error", (error: Error) => {
      end = error.stack ?? error.message;
    });
    worker.on("exit", () => {
      clearInterval(watch);
      resolve({ report, failed, end, index: progress.index });
    });
  });
}

export const nothing: Findings = {
  inputs: 0,
  accepted: 0,
  bytes: 0,
  milliseconds: 0,
  slowest: NONE,
  growth: 0,
  failures: [],
};

/** Of the reports alone. */
export function add(a: Report, b: Report): Report {
  return {
    inputs: a.inputs + b.inputs,
    accepted: a.accepted + b.accepted,
    bytes: a.bytes + b.bytes,
    milliseconds: a.milliseconds + b.milliseconds,
    slowest: a.slowest.excess > b.slowest.excess ? a.slowest : b.slowest,
    growth: Math.max(a.growth, b.growth),
  };
}
