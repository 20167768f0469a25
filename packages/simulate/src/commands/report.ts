/** `--report FILE.html`. */

import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { failureText } from "../print/summary.js";
import type { FigureTable } from "../records/figures.js";
import type { Lanes } from "../report/lanes.js";
import { type ChartLibrary, type ReportedRun, type ReportedScenario, reportPage } from "../report/page.js";
import { failuresOf, type Outcome } from "../run/outcome.js";

/** Points of a curve: as many as a wide screen shows. */
export const SAMPLES = 600;

export function reportedRun(
  file: string,
  name: string,
  outcome: Outcome,
  lanes: Lanes,
  figures: FigureTable,
): ReportedRun {
  return {
    name,
    figures,
    lanes: lanes.table(outcome.until),
    samples: outcome.samples ?? [],
    until: outcome.until,
    failures: failuresOf(outcome).map((failure) => failureText(file, failure)),
  };
}

export async function writeReport(
  cwd: string,
  file: string,
  title: string,
  scenarios: readonly ReportedScenario[],
): Promise<void> {
  await writeFile(resolve(cwd, file), reportPage(title, scenarios, await chartLibrary()));
}

/** The chart library, as its package has it. */
export async function chartLibrary(): Promise<ChartLibrary> {
  const folder = dirname(createRequire(import.meta.url).resolve("uplot"));
  const [script, style] = await Promise.all([
    readFile(join(folder, "uPlot.iife.min.js"), "utf8"),
    readFile(join(folder, "uPlot.min.css"), "utf8"),
  ]);
  return { script, style };
}
