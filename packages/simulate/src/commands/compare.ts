/** `hooklet compare SCENARIO...`. */
import { resolve } from "node:path";
import { printLine, table } from "@hooklet/cli/extend";
import { NodeAgentError } from "@hooklet/core";
import { partingOf, Way } from "../compare/parting.js";
import { type Compared, differingRows, figureCells, partingText } from "../compare/table.js";
import { type NamedVariant, sideBySide, variantsOf } from "../compare/variants.js";
import { type NamedFile, scenarioFiles } from "../config/scenario-config.js";
import { parseSet } from "../config/sets.js";
import { failureText } from "../print/summary.js";
import type { FigureTable } from "../records/figures.js";
import type { SimulationRecord } from "../records/record.js";
import { Lanes } from "../report/lanes.js";
import type { ReportedRun, ReportedScenario } from "../report/page.js";
import { failuresOf } from "../run/outcome.js";
import { run } from "../subprocess/run-in-subprocess.js";
import { jobOf, type ScenarioContext } from "./options.js";
import { type CompareOptions, timing, withFailures } from "./outcome.js";
import { reportedRun, SAMPLES, writeReport } from "./report.js";
import { sweep } from "./sweep.js";
import { Waiting } from "./waiting.js";

export interface ComparedRun {
  readonly name: string;
  readonly figures: FigureTable;
  readonly way: Way;
  readonly description: string;
  /** Expectations that did not come true, and steps that could not be done. */
  readonly failures: readonly string[];
  /** Of plugins and strategies. */
  readonly faults: number;
  readonly reported: ReportedRun;
}

export async function compare(
  context: ScenarioContext,
  names: readonly string[],
  options: CompareOptions,
): Promise<number> {
  const { io } = context;
  const files = await scenarioFiles(io.cwd(), names);
  if (options.sweep !== undefined) return sweep(context, files, options.sweep, options);
  if (options.minimise !== undefined || options.maximise !== undefined) {
    throw new NodeAgentError(
      "INVALID",
      "--minimise and --maximise: expected --sweep PATH=FROM..TO:STEP beside them, found none.",
    );
  }
  if (options.with === undefined && options.set === undefined) {
    throw new NodeAgentError(
      "INVALID",
      "compare: nothing to compare with. Add --set PATH=VALUE or --with RCFILE, each once or more; hooklet simulate runs a scenario as it is.",
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
  if (options.report !== undefined)
    await writeReport(io.cwd(), options.report, "hooklet compare", reportedScenarios(files, runs));
  return runs.flat().some(({ faults }) => faults > 0) ? 1 : 0;
}

/** By scenario, then by variant. */
async function runAll(
  context: ScenarioContext,
  files: readonly NamedFile[],
  variants: readonly NamedVariant[],
  options: CompareOptions,
): Promise<readonly (readonly ComparedRun[])[]> {
  const wanted = files.flatMap((file) => variants.map((variant) => ({ file, variant })));
  const waiting = new Waiting(
    context,
    files.map(({ name }) => name),
    wanted.length,
  );
  const compared = sideBySide(wanted, async ({ file, variant: { name, variant } }): Promise<ComparedRun> => {
    const way = new Way();
    const lanes = new Lanes();
    const samples = options.report === undefined ? {} : { samples: SAMPLES };
    const job = { ...(await jobOf(context, file.file, timing(options))), variant, ...samples };
    const record = (one: SimulationRecord): void => {
      way.add(one);
      if (options.report !== undefined) lanes.add(one);
    };
    const outcome = waiting.one(await run(job, "none", { record }));
    const figures = withFailures(outcome);
    const { description } = outcome;
    const failures = failuresOf(outcome).map((one) => failureText(file.name, one));
    const reported = reportedRun(file.name, name, outcome, lanes, figures);
    return { name, figures, way, description, failures, faults: outcome.faults.length, reported };
  });
  const done = await waiting.during(compared);
  return files.map((_, index) => done.slice(index * variants.length, (index + 1) * variants.length));
}

async function tell(
  { io }: ScenarioContext,
  files: readonly NamedFile[],
  runs: readonly (readonly ComparedRun[])[],
): Promise<void> {
  const all = files.map(({ name }, index): Compared => ({ scenario: name, runs: runs[index] ?? [] }));
  const names = (runs[0] ?? []).map(({ name }) => name);
  const [only] = all;
  if (only !== undefined && all.length === 1) {
    await printLine(io.stdout, table(["FIGURE", ...names, ""], figureCells(only)));
  } else {
    await printLine(io.stdout, table(["SCENARIO", "FIGURE", ...names], differingRows(all)));
  }
  for (const [index, { name }] of files.entries()) {
    await printLine(io.stdout, all.length === 1 ? "" : `\n${name}:`);
    for (const text of partingsOf(runs[index] ?? [])) await printLine(io.stdout, text);
    for (const run of runs[index] ?? [])
      for (const text of run.failures) await printLine(io.stdout, `${run.name}: ${text}`);
  }
}

/** Of each run from the first. */
function partingsOf([first, ...others]: readonly ComparedRun[]): readonly string[] {
  if (first === undefined) return [];
  return others.map((other) =>
    partingText([first.name, other.name], [first.way, other.way], partingOf(first.way, other.way)),
  );
}

function reportedScenarios(
  files: readonly NamedFile[],
  runs: readonly (readonly ComparedRun[])[],
): readonly ReportedScenario[] {
  return files.map(({ name }, index) => {
    const own = runs[index] ?? [];
    return {
      name,
      description: own[0]?.description ?? "",
      runs: own.map(({ reported }) => reported),
      partings: partingsOf(own),
    };
  });
}

function jsonOf(files: readonly NamedFile[], runs: readonly (readonly ComparedRun[])[]): unknown {
  return files.map(({ name }, index) => {
    const own = runs[index] ?? [];
    const [first, ...others] = own;
    return {
      scenario: name,
      runs: own.map(({ name: run, figures, failures }) => ({ name: run, figures, failures })),
      partings:
        first === undefined ? [] : others.map((other) => ({ with: other.name, ...partingOf(first.way, other.way) })),
    };
  });
}
