/** `hooklet compare SCENARIO... --sweep PATH=FROM..TO:STEP --minimise FIGURE`. */
import { printLine, table } from "@hooklet/cli/extend";
import { errorText, isNodeAgentError, NodeAgentError } from "@hooklet/core";
import { bestOf, figureNamed, type Point, parseSweep, passedOver, tradeOff } from "../compare/sweep.js";
import { sideBySide } from "../compare/variants.js";
import type { NamedFile } from "../config/scenario-config.js";
import { parseSet } from "../config/sets.js";
import { failureText, figureText } from "../print/summary.js";
import type { FigureTable } from "../records/figures.js";
import { run } from "../subprocess/run-in-subprocess.js";
import { jobOf, type ScenarioContext } from "./options.js";
import { type CompareOptions, timing, withFailures } from "./outcome.js";
import { Waiting } from "./waiting.js";

interface Run extends Point {
  /** Errors of plugins and strategies. */
  readonly faults: readonly string[];
}

/** A value that the configuration does not take. */
interface Refused {
  readonly value: string;
  readonly why: string;
}

export async function sweep(
  context: ScenarioContext,
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
  const waiting = new Waiting(
    context,
    files.map(({ name }) => name),
    values.length * files.length,
  );
  const searched = sideBySide(values, async (value): Promise<Run | Refused> => {
    const sets = [...always, parseSet(`${path}=${value}`, "--sweep")];
    const all: FigureTable[] = [];
    const faults: string[] = [];
    try {
      for (const { name, file } of files) {
        const job = { ...(await jobOf(context, file, timing(options))), variant: { sets } };
        const outcome = waiting.one(await run(job, "none"));
        all.push(withFailures(outcome));
        faults.push(...outcome.faults.map((one) => failureText(name, one)));
      }
    } catch (error) {
      // The others of the grid may well be values that the configuration takes.
      if (!isNodeAgentError(error, "CONFIG_FAULTS")) throw error;
      return { value, why: errorText(error) };
    }
    return { value, figures: sumOf(all), faults };
  });
  const results = await waiting.during(searched);
  const points = results.filter((one) => "figures" in one);
  const refused = results.filter((one) => "why" in one);
  const [first] = refused;
  if (points.length === 0 && first !== undefined) throw new NodeAgentError("CONFIG_FAULTS", first.why);
  const known = [...new Set(points.flatMap(({ figures }) => Object.keys(figures)))];
  const figure = figureNamed(wanted, known, minimise === undefined ? "--maximise" : "--minimise");
  const best = bestOf(points, figure, minimise !== undefined);
  const code = points.some(({ faults }) => faults.length > 0) ? 1 : 0;
  if (options.output === "json") {
    await printLine(io.stdout, JSON.stringify({ path, figure, best: best?.value ?? null, points, refused }, null, 2));
    return code;
  }
  const names = tradeOff(points, figure);
  const rows = points.map(({ value, figures }) => [
    value,
    ...names.map((name) => figureText(name, figures[name])),
    value === best?.value ? "best" : "",
  ]);
  await printLine(io.stdout, table([path.split(".").at(-1) ?? path, ...names, ""], rows));
  for (const { value, faults } of points) for (const text of faults) await printLine(io.stdout, `${value}: ${text}`);
  for (const { value, why } of refused) await printLine(io.stdout, `${value} is refused: ${faultsOf(why)}`);
  const least = minimise === undefined ? "most" : "fewest";
  await printLine(
    io.stdout,
    best === undefined
      ? `\nno value of ${path} gives a figure "${figure}"`
      : `\n${path}=${best.value}: ${least} ${figure}, ${figureText(figure, best.figures[figure])}${passedOver(points, best, figure, minimise !== undefined)}`,
  );
  return code;
}

/** Without the head line. */
function faultsOf(why: string): string {
  const [head = "", ...faults] = why.split("\n").map((line) => line.trim());
  return faults.length === 0 ? head : faults.join(" ");
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
