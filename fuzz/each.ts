/** A process of its own for each target: what it costs is its own, and where one waits the others go on. */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { type Findings, fuzz, type Job } from "./watch.js";

const HERE = fileURLToPath(import.meta.url);

export function fuzzed(job: Job): Promise<Findings> {
  const child = fork(HERE, { execArgv: process.execArgv });
  return new Promise((resolve, reject) => {
    child.once("message", (findings: Findings) => resolve(findings));
    child.once("error", reject);
    child.once("exit", (code, signal) =>
      reject(new Error(`${job.target}: its process ended with ${signal ?? code}, expected what it found`)),
    );
    child.send(job);
  });
}

if (process.argv[1] === HERE) {
  process.once("message", (job: Job) => {
    void fuzz(job).then((findings) => process.send?.(findings, () => process.exit()));
  });
}
