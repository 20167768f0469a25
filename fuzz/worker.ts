/** One thread that feeds a target, so that an input that crashes or stalls it takes nothing else with it. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parentPort, workerData } from "node:worker_threads";
import { inputOf } from "./mutate.js";
import { cpuMilliseconds, Progress } from "./progress.js";
import type { OpenTarget, Outcome } from "./target.js";
import { TARGETS } from "./targets/table.js";

export interface Work {
  readonly target: string;
  readonly seed: number;
  /** Inputs from this number on. */
  readonly from: number;
  readonly until: number;
  /** Milliseconds after which no new input is begun. */
  readonly milliseconds: number;
  readonly memory: SharedArrayBuffer;
}

export interface Report {
  readonly inputs: number;
  readonly accepted: number;
  readonly bytes: number;
  readonly milliseconds: number;
  readonly slowest: { readonly index: number; readonly milliseconds: number; readonly bytes: number };
  /** Bytes of heap more at the end than when a fifth was done. */
  readonly growth: number;
}

export interface Failed {
  readonly index: number;
  readonly error: string;
}

export type Message =
  | { readonly kind: "report"; readonly report: Report }
  | { readonly kind: "failed"; readonly failed: Failed };

/** Part of the inputs that warms up before the heap is measured. */
const WARM = 0.2;
/** Milliseconds of CPU that one input may take; and of any clock, after which it is given up (many, as in watch.ts). */
const LONGEST = 1_000;
const NEVER = 120_000;

async function work({ target: name, seed, from, until, milliseconds, memory }: Work): Promise<void> {
  const target = TARGETS.find((one) => one.name === name);
  if (target === undefined) throw new Error(`no target ${name}`);
  const progress = new Progress(memory);
  const beat = setInterval(() => progress.beat(), 50);
  const seeds = target.seeds();
  const open = await target.open();
  const began = performance.now();
  let [inputs, accepted, bytes, busy] = [0, 0, 0, 0];
  let slowest = { index: -1, milliseconds: 0, bytes: 0 };
  let heapBefore: number | undefined;
  for (let index = from; index < until && performance.now() - began < milliseconds; index++) {
    const share = Math.max((index - from) / (until - from), (performance.now() - began) / milliseconds);
    if (heapBefore === undefined && share > WARM) heapBefore = heap();
    const input = inputOf(seed, index, seeds);
    progress.begin(index);
    const start = performance.now();
    try {
      if ((await inTime(open, input)) === "accepted") accepted += 1;
    } catch (error) {
      post({ kind: "failed", failed: { index, error: textOf(error) } });
      // Others might wait as long: the target is done for this time.
      if (error instanceof Late) break;
    }
    const took = performance.now() - start;
    inputs += 1;
    bytes += input.length;
    busy += took;
    if (took > slowest.milliseconds) slowest = { index, milliseconds: took, bytes: input.length };
  }
  const growth = heapBefore === undefined ? 0 : heap() - heapBefore;
  await orLate(open.close()).catch((error: unknown) =>
    post({ kind: "failed", failed: { index: -1, error: `its end: ${textOf(error)}` } }),
  );
  clearInterval(beat);
  post({ kind: "report", report: { inputs, accepted, bytes, milliseconds: busy, slowest, growth } });
}

/**
 * Time is CPU time, this process having nothing else to do: the machine may be busy elsewhere. An input that takes long is tried once
 * more, for it may have been a collection.
 */
async function inTime(open: OpenTarget, input: Buffer): Promise<Outcome> {
  for (let again = false; ; again = true) {
    const start = cpuMilliseconds();
    const outcome = await orLate(open.run(input));
    const took = cpuMilliseconds() - start;
    if (took < LONGEST) return outcome;
    if (again) throw new Error(`it took ${Math.round(took)} ms, expected less than ${LONGEST} ms`);
  }
}

class Late extends Error {}

async function orLate<Value>(work: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Late(`nothing came within ${NEVER} ms`)), NEVER);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

function post(message: Message): void {
  parentPort?.postMessage(message);
}

/** Bytes in use after a collection. */
function heap(): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  return process.memoryUsage().heapUsed;
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : `thrown: ${String(error)}`;
}

if (parentPort !== null && workerData !== undefined) await work(workerData as Work);
