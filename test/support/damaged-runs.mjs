// Runs each scenario of a folder, as `hooklet simulate --until 2m` does in a process of its own, and prints what came of it, a line each:
//   node damaged-runs.mjs FOLDER NAME...

import { performance } from "node:perf_hooks";
import { errorText, isNodeAgentError } from "@hooklet/core";
import { failuresOf, runJob } from "@hooklet/simulate";
import { defaultPlugins, sourcePlugins } from "hooklet";

const [folder, ...names] = process.argv.slice(2);
const host = { url: import.meta.resolve("hooklet"), plugins: defaultPlugins, sourcePlugins };
process.on("unhandledRejection", (error) => tell({ name: "unhandled", unexpected: error?.stack ?? String(error) }));

for (const name of names) {
  const began = performance.now();
  const job = { file: `${folder}/${name}`, host, variant: {}, seed: 0, until: 120_000 };
  const said = await runJob(job).then(
    (outcome) => ({ ran: { problems: outcome.problems, failures: failuresOf(outcome) } }),
    // What is no error of ours would be shown with its stack.
    (error) =>
      isNodeAgentError(error) ? { refused: errorText(error) } : { unexpected: error?.stack ?? String(error) },
  );
  tell({ name, milliseconds: performance.now() - began, ...said });
}

function tell(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
