/** `hooklet compare SCENARIO... --sweep PATH=FROM..TO:STEP --minimise FIGURE`. */
import { type Context, printLine, table } from "@hooklet/cli/extend";
import { NodeAgentError } from "@hooklet/core";
import { run } from "../apart/run-apart.js";
import { sideBySide } from "../compare/side-by-side.js";
import { bestOf, figureNamed, type Point, parseSweep, tradeOff } from "../compare/sweep.js";
import { parseSet } from "../config/sets.js";
import { figureText } from "../print/summary.js";
import type { FigureTable } from "../records/figures.js";
import { type CompareOptions, timing, withFailures } from "./figures.js";
import { jobOf } from "./options.js";
import type { NamedFile } from "./scenario-files.js";

export async function sweep(
  context: Context,
  files: readonly NamedFile[],
  text: string,
  options: CompareOptions,
): Promise<number> {
  const { io } = context;
  const { minimise, maximise } = options;
  const wanted = minimise ?? maximise;
  if (wanted === undefined || (minimise !== undefined && maximise !== undefined)) {
    throw new NodeAgentError(
      "INVALID",
      "--sweep: expected --minimise FIGURE or --maximise FIGURE beside it, found none or both.",
    );
  }
  const beside = [options.with && "--with", options.report && "--report"].filter((one) => one !== undefined);
  if (beside.length > 0)
    throw new NodeAgentError(
      "INVALID",
      `--sweep: expected neither --with nor --report beside it, found ${beside.join(" and ")}.`,
    );
  const { path, values } = parseSweep(text);
  const always = (options.set ?? []).map((one) => parseSet(one));
  const points = await sideBySide(values, async (value): Promise<Point> => {
    const sets = [...always, parseSet(`${path}=${value}`, "--sweep")];
    const all: FigureTable[] = [];
    for (const { file } of files) {
      const job = { ...jobOf(context, file, timing(options)), variant: { sets } };
      all.push(withFailures(await run(job, "none")));
    }
    return { value, figures: sumOf(all) };
  });
  const known = [...new Set(points.flatMap(({ figures }) => Object.keys(figures)))];
  const figure = figureNamed(wanted, known, minimise === undefined ? "--maximise" : "--minimise");
  const best = bestOf(points, figure, minimise !== undefined);
  if (options.output === "json") {
    await printLine(io.stdout, JSON.stringify({ path, figure, best: best?.value ?? null, points }, null, 2));
    return 0;
  }
  const names = tradeOff(points, figure);
  const rows = points.map(({ value, figures }) => [
    value,
    ...names.map((name) => figureText(name, figures[name])),
    value === best?.value ? "best" : "",
  ]);
  await printLine(io.stdout, table([path.split(".").at(-1) ?? path, ...names, ""], rows));
  const least = minimise === undefined ? "most" : "fewest";
  await printLine(
    io.stdout,
    best === undefined
      ? `\nno value of ${path} gives a figure "${figure}"`
      : `\n${path}=${best.value}: ${least} ${figure}, ${figureText(figure, best.figures[figure])}`,
  );
  return 0;
}

/** Over several scenarios: sums; of times the longest. */
function sumOf(all: readonly FigureTable[]): FigureTable {
  const sum: Record<string, number | undefined> = {};
  for (const figures of all) {
    for (const [name, value] of Object.entries(figures)) {
      const before = sum[name];
      if (value === undefined || before === undefined) sum[name] = before ?? value;
      else sum[name] = name.startsWith("ready ") ? Math.max(before, value) : before + value;
    }
  }
  return sum;
}
