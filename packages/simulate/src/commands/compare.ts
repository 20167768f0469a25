/** `hooklet compare SCENARIO...`. */
import { resolve } from "node:path";
import { type Context, printLine, table } from "@hooklet/cli/extend";
import { NodeAgentError } from "@hooklet/core";
import { run } from "../apart/run-apart.js";
import { partingOf, Way } from "../compare/parting.js";
import { sideBySide } from "../compare/side-by-side.js";
import { type Compared, differingRows, figureRows, partingText } from "../compare/table.js";
import { type NamedVariant, variantsOf } from "../compare/variants.js";
import { parseSet } from "../config/sets.js";
import type { FigureTable } from "../records/figures.js";
import { type CompareOptions, timing, withFailures } from "./figures.js";
import { jobOf } from "./options.js";
import { type NamedFile, scenarioFiles } from "./scenario-files.js";
import { sweep } from "./sweep.js";

export interface ComparedRun {
  readonly name: string;
  readonly figures: FigureTable;
  readonly way: Way;
}

export async function compare(context: Context, names: readonly string[], options: CompareOptions): Promise<number> {
  const { io } = context;
  const files = await scenarioFiles(io.cwd(), names);
  if (options.sweep !== undefined) return sweep(context, files, options.sweep, options);
  if (options.minimise !== undefined || options.maximise !== undefined) {
    throw new NodeAgentError(
      "INVALID",
      "--minimise and --maximise: expected --sweep PATH=FROM..TO:STEP beside them, found none.",
    );
  }
  const rcFiles = (options.with ?? []).map((file) => resolve(io.cwd(), file));
  const variants = variantsOf(
    rcFiles,
    (options.set ?? []).map((text) => parseSet(text)),
  );
  if (variants.length < 2) {
    throw new NodeAgentError(
      "INVALID",
      "compare: expected something to compare with, --with RCFILE or --set PATH=VALUE, found neither.",
    );
  }
  const runs = await runAll(context, files, variants, options);
  if (options.output === "json") await printLine(io.stdout, JSON.stringify(jsonOf(files, runs), null, 2));
  else await tell(context, files, runs);
  return 0;
}

/** By scenario, then by variant. */
async function runAll(
  context: Context,
  files: readonly NamedFile[],
  variants: readonly NamedVariant[],
  options: CompareOptions,
): Promise<readonly (readonly ComparedRun[])[]> {
  const wanted = files.flatMap((file) => variants.map((variant) => ({ file, variant })));
  const done = await sideBySide(wanted, async ({ file, variant: { name, variant } }): Promise<ComparedRun> => {
    const way = new Way();
    const job = { ...jobOf(context, file.file, timing(options)), variant };
    const outcome = await run(job, "jsonl", { record: (record) => way.add(record) });
    return { name, figures: withFailures(outcome), way };
  });
  return files.map((_, index) => done.slice(index * variants.length, (index + 1) * variants.length));
}

async function tell(
  { io }: Context,
  files: readonly NamedFile[],
  runs: readonly (readonly ComparedRun[])[],
): Promise<void> {
  const all = files.map(({ name }, index): Compared => ({ scenario: name, runs: runs[index] ?? [] }));
  const names = (runs[0] ?? []).map(({ name }) => name);
  const [only] = all;
  if (only !== undefined && all.length === 1) {
    await printLine(io.stdout, table(["FIGURE", ...names, ""], figureRows(only)));
  } else {
    await printLine(io.stdout, table(["SCENARIO", "FIGURE", ...names], differingRows(all)));
  }
  for (const [index, { name }] of files.entries()) {
    const [first, ...others] = runs[index] ?? [];
    if (first === undefined) continue;
    await printLine(io.stdout, all.length === 1 ? "" : `\n${name}:`);
    for (const other of others) {
      const parting = partingOf(first.way, other.way);
      await printLine(io.stdout, partingText([first.name, other.name], [first.way, other.way], parting));
    }
  }
}

function jsonOf(files: readonly NamedFile[], runs: readonly (readonly ComparedRun[])[]): unknown {
  return files.map(({ name }, index) => {
    const own = runs[index] ?? [];
    const [first, ...others] = own;
    return {
      scenario: name,
      runs: own.map((one) => ({ name: one.name, figures: one.figures })),
      partings:
        first === undefined ? [] : others.map((other) => ({ with: other.name, ...partingOf(first.way, other.way) })),
    };
  });
}
