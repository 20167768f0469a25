/** Runs a job in a process of its own. Quick to load: core, plugins and runtimes are what that process is there for. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Output } from "@hooklet/cli/extend";
import { NodeAgentError, systemClock } from "@hooklet/utils";
import type { SimulationRecord } from "../records/record.js";
import type { Outcome } from "../run/outcome.js";
import type { Job } from "./job.js";
import type { RunPrinter } from "./output.js";
import {
  type Answer,
  type Beat,
  type Format,
  noOutcomeText,
  type Progress,
  type WarmUp,
  watchForStandstill,
} from "./protocol.js";

const ENTRY = fileURLToPath(new URL("./main.js", import.meta.url));

/** What a run makes is mostly thrown away at once: with more memory for young objects they are not copied around. */
const ROOMY = ["--max-semi-space-size=64"];

/** Errors of the run's process that are shown. */
const MAX_STDERR = 64 * 1024;

export interface Taker {
  /** Output in the format asked for. */
  readonly out?: Pick<Output, "write">;
  /** How far it is, in seconds of virtual time. */
  readonly progress?: (t: number) => void;
  readonly record?: (record: SimulationRecord) => void;
}

/** Rejects with what is wrong with scenario or configuration, or with the run. @param prepared is used up */
export function run(job: Job, format: Format, taker: Taker = {}, prepared?: ChildProcess): Promise<Outcome> {
  // From the sources (tests) there is no such file.
  return existsSync(ENTRY) ? runApart(job, format, taker, prepared) : runHere(job, format, taker);
}

/**
 * A process for one run to come, which loads what every run of this host needs: a run in it takes a third of the time. It ends with this
 * process. Undefined: no run here has a process.
 */
export function prepare(host: Job["host"]): ChildProcess | undefined {
  if (!existsSync(ENTRY)) return undefined;
  const child = start();
  // One that fails is not taken.
  child.on("error", () => undefined);
  child.send({ warmUp: host } satisfies WarmUp, () => undefined);
  return child;
}

function start(): ChildProcess {
  return spawn(process.execPath, [...process.execArgv, ...ROOMY, ENTRY], { stdio: ["ignore", "pipe", "pipe", "ipc"] });
}

async function runHere(job: Job, format: Format, { out, record, progress }: Taker): Promise<Outcome> {
  const [{ printer }, { runJob, tryRestarts }] = await Promise.all([import("./output.js"), import("./job.js")]);
  const print = printer(format, out ?? { write: () => true });
  const take = (one: SimulationRecord): void => {
    print.record(one);
    record?.(one);
    progress?.(one.t);
  };
  const outcome = await (job.tryRestarts ? tryRestarts : runJob)(job, take);
  print.end(job.file, outcome);
  return outcome;
}

/** Undefined: the line is none. */
function recordOf(line: string): SimulationRecord | undefined {
  try {
    const one: unknown = JSON.parse(line);
    const isOne = typeof one === "object" && one !== null && "kind" in one && typeof one.kind === "string";
    return isOne ? (one as SimulationRecord) : undefined;
  } catch {
    return undefined;
  }
}

/** Who wants the records gets them as lines; what people see is then made of them here. */
async function printerHere(format: Format, { out, record }: Taker): Promise<RunPrinter | undefined> {
  if (record === undefined || out === undefined) return undefined;
  return (await import("./output.js")).printer(format, out);
}

async function runApart(job: Job, format: Format, taker: Taker, prepared?: ChildProcess): Promise<Outcome> {
  const { out, record } = taker;
  const print = await printerHere(format, taker);
  return new Promise((resolve, reject) => {
    const child = prepared?.connected ? prepared : start();
    let answer: Answer | undefined;
    let stderr = "";
    let t = 0;
    let stoodStill = false;
    const isHeldUp = (): boolean => child.stdout?.isPaused() === true;
    const watch = watchForStandstill(systemClock, isHeldUp, () => {
      stoodStill = true;
      child.kill("SIGKILL");
    });
    const lines =
      record === undefined
        ? undefined
        : lineReader((line) => {
            const one = recordOf(line);
            // What a plugin prints comes the same way.
            if (one === undefined) return;
            record(one);
            print?.record(one);
          });
    child.stdout?.on("data", (data: Buffer) => {
      if (lines !== undefined) lines(data);
      else if (out?.write(data) === false) pauseUntilDrained(child.stdout, out);
    });
    child.stderr?.on("data", (data: Buffer) => {
      if (stderr.length < MAX_STDERR) stderr += data.toString();
    });
    child.on("message", (message) => {
      watch.heard();
      const said = message as Answer | Progress | Beat;
      if ("beat" in said) return;
      if ("progress" in said) {
        t = said.progress.t;
        taker.progress?.(t);
      } else answer = said;
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      watch.stop();
      if (answer === undefined) reject(new Error(noOutcomeText(job.file, { code, signal, stderr, stoodStill, t })));
      else if (answer.error !== undefined) reject(failed(answer));
      else {
        print?.end(job.file, answer.outcome);
        resolve(answer.outcome);
      }
    });
    child.send({ job, format: record === undefined ? format : "jsonl" });
  });
}

function failed({ error, code = "INVALID", stack }: Extract<Answer, { error: string }>): NodeAgentError {
  return new NodeAgentError(code, error, stack === undefined ? {} : { cause: new Error(stack) });
}

function pauseUntilDrained(from: NodeJS.ReadableStream | null, out: Pick<Output, "write">): void {
  if (!("once" in out)) return;
  from?.pause();
  (out as Output).once("drain", () => from?.resume());
}

/** Calls back with each whole line. */
function lineReader(take: (line: string) => void): (data: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (data) => {
    let whole = Buffer.concat([rest, data]);
    for (let end = whole.indexOf(10); end >= 0; end = whole.indexOf(10)) {
      take(whole.subarray(0, end).toString("utf8"));
      whole = whole.subarray(end + 1);
    }
    rest = whole;
  };
}
