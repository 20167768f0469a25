/** `--report FILE.html`. */
import { writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { failureText } from "../print/summary.js";
import type { FigureTable } from "../records/figures.js";
import type { Lanes } from "../report/lanes.js";
import { chartLibrary } from "../report/library.js";
import { type ReportedRun, type ReportedScenario, reportPage } from "../report/page.js";
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
