/** One thread that feeds a target, so that an input that crashes or stalls it takes nothing else with it. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parentPort, workerData } from "node:worker_threads";
import { excess } from "./cost.js";
import { Highest } from "./highest.js";
import { Inputs } from "./inputs.js";
import { grown, isSteep, measured } from "./measure.js";
import { cpuMilliseconds, Progress } from "./progress.js";
import { type Message, NONE, type Slowest } from "./report.js";
import { TARGETS } from "./targets/table.js";

export interface Work {
  readonly target: string;
  readonly seed: number;
  /** Inputs from this number on, and up to `least` in any case. */
  readonly from: number;
  readonly least: number;
  /** Milliseconds of CPU before which there is always another input. */
  readonly milliseconds: number;
  readonly memory: SharedArrayBuffer;
}

/** Part of the inputs that warms up before the heap is measured. */
const WARM = 0.2;
/** Milliseconds of any clock, after which an input is given up (many, as in watch.ts). */
const NEVER = 120_000;
/** Inputs, of those that can be longer and cost most, whose growth is measured besides those that are steep. */
const LOOKED_AT = 16;

async function work({ target: name, seed, from, least, milliseconds, memory }: Work): Promise<void> {
  const target = TARGETS.find((one) => one.name === name);
  if (target === undefined) throw new Error(`no target ${name}`);
  const progress = new Progress(memory);
  const beat = setInterval(() => progress.beat(), 50);
  const all = new Inputs(seed, target.seeds());
  const open = await target.open();
  // Each run is a sign of life: an input that is suspicious is run many times, with nothing in between that lets the timer have its turn.
  const run = (input: Buffer) => {
    progress.beat();
    return orLate(open.run(input));
  };
  const longer = (index: number) => [1, 2, 4].map((times) => all.at(index, times)) as [Buffer, Buffer, Buffer];
  const began = cpuMilliseconds();
  const spent = (): number => cpuMilliseconds() - began;
  let [inputs, accepted, bytes, busy] = [0, 0, 0, 0];
  const costliest = new Highest(LOOKED_AT);
  let slowest: Slowest = NONE;
  let heapBefore: number | undefined;
  for (let index = from; index < least || spent() < milliseconds; index++) {
    const share = Math.min(
      least > from ? (index - from) / (least - from) : 1,
      milliseconds > 0 ? spent() / milliseconds : 1,
    );
    if (heapBefore === undefined && share > WARM) heapBefore = heap();
    const input = all.at(index);
    progress.begin(index);
    const start = cpuMilliseconds();
    try {
      const { outcome, took } = await measured(run, input, target.cost, cpuMilliseconds);
      if (outcome === "accepted") accepted += 1;
      const one = { index, milliseconds: took, bytes: input.length, excess: excess(target.cost, input.length, took) };
      if (one.excess > slowest.excess) slowest = one;
      if (costliest.takes(one.excess) && all.grows(index)) costliest.add(index, one.excess);
      const short = all.quarter(index);
      if (short !== undefined && (await isSteep(run, [short, input], took, cpuMilliseconds)))
        await grown(run, longer(index), cpuMilliseconds);
    } catch (error) {
      post({ kind: "failed", failed: { index, error: textOf(error) } });
      // Others might wait as long: the target is done for this time.
      if (error instanceof Late) break;
    }
    inputs += 1;
    bytes += input.length;
    busy += cpuMilliseconds() - start;
  }
  const growth = heapBefore === undefined ? 0 : heap() - heapBefore;
  for (const index of costliest.indices) {
    progress.begin(index);
    await grown(run, longer(index), cpuMilliseconds).catch((error: unknown) =>
      post({ kind: "failed", failed: { index, error: textOf(error) } }),
    );
  }
  await orLate(open.close()).catch((error: unknown) =>
    post({ kind: "failed", failed: { index: -1, error: `its end: ${textOf(error)}` } }),
  );
  clearInterval(beat);
  post({ kind: "report", report: { inputs, accepted, bytes, milliseconds: busy, slowest, growth } });
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
