/**
 * A process of its own for each target: what it costs is its own, and where one waits the others go on. One that dies (an assertion of
 * Node's own, say) is a failure, and another goes on behind the input at which it was.
 */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Failed } from "./report.js";
import { TARGETS } from "./targets/table.js";
import { add, type Findings, fuzz, type Job, nothing } from "./watch.js";

const HERE = fileURLToPath(import.meta.url);
/** Deaths after which a target is given up. */
const ENOUGH = 20;
/** Characters of its last words that are kept. */
const MOST_SAID = 16_384;

type Message = { readonly kind: "at"; readonly index: number } | { readonly kind: "found"; readonly found: Findings };

export async function fuzzed(job: Job): Promise<Findings> {
  let sum = nothing;
  const died: Failed[] = [];
  const mayEndWith = TARGETS.find(({ name }) => name === job.target)?.mayEndWith;
  let excused = 0;
  for (let { from } = job; ; ) {
    const { found, index, end, said } = await forked({ ...job, from });
    if (found !== undefined) return { ...add(sum, found), failures: [...died, ...found.failures] };
    if (mayEndWith?.test(said) !== true || ++excused > ENOUGH) {
      died.push({ index, error: `its process ended with ${end}, at this input or soon after one before it` });
    }
    sum = { ...sum, inputs: sum.inputs + index + 1 - from };
    from = index + 1;
    if (from >= job.least || died.length === ENOUGH) return { ...sum, failures: died };
  }
}

interface Ended {
  readonly found: Findings | undefined;
  /** The last input that is known to have been begun. */
  readonly index: number;
  readonly end: string;
  /** What it wrote to standard error before. */
  readonly said: string;
}

function forked(job: Job): Promise<Ended> {
  const child = fork(HERE, { execArgv: process.execArgv, stdio: ["inherit", "inherit", "pipe", "ipc"] });
  let { from: index } = job;
  let found: Findings | undefined;
  let said = "";
  child.stderr?.on("data", (data: Buffer) => {
    process.stderr.write(data);
    said = `${said}${data}`.slice(-MOST_SAID);
  });
  return new Promise((resolve, reject) => {
    child.on("message", (message: Message) => {
      if (message.kind === "at") index = Math.max(index, message.index);
      else found = message.found;
    });
    child.once("error", reject);
    child.once("close", (code, signal) => resolve({ found, index, end: String(signal ?? code), said }));
    child.send(job);
  });
}

if (process.argv[1] === HERE) {
  const send = (message: Message, then: () => void = () => {}): void => void process.send?.(message, then);
  process.once("message", (job: Job) => {
    void fuzz(job, (index) => send({ kind: "at", index })).then((found) =>
      send({ kind: "found", found }, () => process.exit()),
    );
  });
  // Without the parent process there is no reader of the result.
  process.once("disconnect", () => process.exit());
}
