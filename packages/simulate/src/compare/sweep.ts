/** Searches over a grid of values. Pure. */
import { NodeAgentError } from "@hooklet/core";
import { didYouMean, nearest } from "@hooklet/manifest";
import { figureText } from "../print/summary.js";
import type { FigureTable } from "../records/figures.js";
import { amount } from "../values/amounts.js";
import { parseSeconds } from "../values/seconds.js";

/** More runs than a user waits for. */
const MAX_VALUES = 1000;

export interface Sweep {
  readonly path: string;
  readonly values: readonly string[];
}

/**
 * `plugins.imagegc.imageGCHighThresholdPercent=70..95:5`, with units as `period=1m..10m:3m` and `memory=512Mi..2Gi:512Mi`, or a list
 * `order=lru,largest-first`. @throws NodeAgentError INVALID
 */
export function parseSweep(text: string): Sweep {
  const [, path = "", range = ""] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  if (!range.includes("..")) {
    if (!range.includes(",")) throw bad(text);
    return { path, values: range.split(",") };
  }
  const [, first = "", last = "", step] = /^([^:]+)\.\.([^:]+?)(?::([^:]+))?$/.exec(range) ?? [];
  const [from, to] = [numberOf(first), numberOf(last)];
  const by = step === undefined ? from && { count: 1, unit: from.unit } : numberOf(step);
  if (from === undefined || to === undefined || by === undefined) throw bad(text);
  const sizes = sizesOf([from.unit, to.unit, by.unit]);
  if (sizes === undefined) throw bad(text);
  // In units of the step.
  const [start, end] = [(from.count * sizes[0]) / sizes[2], (to.count * sizes[1]) / sizes[2]];
  const count = Math.floor((end - start) / by.count + 1e-9) + 1;
  if (!(by.count > 0) || count < 1 || count > MAX_VALUES) throw bad(text);
  const values = Array.from(
    { length: count },
    (_, index) => `${Number((start + index * by.count).toFixed(9))}${by.unit}`,
  );
  return { path, values };
}

interface Measured {
  readonly count: number;
  readonly unit: string;
}

function numberOf(text: string): Measured | undefined {
  const [, count, unit = ""] = /^(-?\d+(?:\.\d+)?)([a-zA-Z%]{0,2})$/.exec(text) ?? [];
  return count === undefined ? undefined : { count: Number(count), unit };
}

/** How large these units are: times or amounts; undefined: they do not go together. */
function sizesOf(units: readonly [string, string, string]): readonly [number, number, number] | undefined {
  if (new Set(units).size === 1) return [1, 1, 1];
  for (const sizeOf of [parseSeconds, amountOf]) {
    const [from, to, step] = units.map((unit) => sizeOf(`1${unit}`));
    if (from !== undefined && to !== undefined && step !== undefined) return [from, to, step];
  }
  return undefined;
}

function amountOf(text: string): number | undefined {
  try {
    return amount(text);
  } catch {
    return undefined;
  }
}

function bad(text: string): NodeAgentError {
  const expected = `PATH=FROM..TO:STEP with at most ${MAX_VALUES} values, or PATH=A,B,C`;
  const units = "Times and amounts are written with their units: 1m..10m:3m, 1Gi..4Gi:512Mi.";
  return new NodeAgentError("INVALID", `--sweep: expected ${expected}, found "${text}". ${units}`);
}

/** The figure that people mean by `pulls`, `bytes-removed` or `ready-p99`. @throws NodeAgentError INVALID */
export function figureNamed(text: string, known: readonly string[], option: string): string {
  const found = known.find((name) => plain(name) === plain(text));
  if (found !== undefined) return found;
  const near = nearest(text, known.map(plain));
  const names = near.length > 0 ? "a figure" : `a figure (${known.map(plain).join(", ")})`;
  throw new NodeAgentError("INVALID", `${option}: expected ${names}, found "${text}".${didYouMean(near)}`);
}

/** As the options are written: `bytes-removed`. */
function plain(name: string): string {
  return name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, " ")
    .trim()
    .replaceAll(" ", "-");
}

export interface Point {
  readonly value: string;
  readonly figures: FigureTable;
}

/** What a scenario expects comes first: whatever fails less is better. */
const FAILURES = ["expectations that fail", "steps that could not be done", "errors of plugins and strategies"];

function failuresOf({ figures }: Point): number {
  return FAILURES.reduce((sum, name) => sum + (figures[name] ?? 0), 0);
}

/** Least or greatest; of equals the first. A point without the figure is no best one. */
export function bestOf(points: readonly Point[], figure: string, minimise: boolean): Point | undefined {
  return points.reduce<Point | undefined>((best, point) => {
    const [value, before] = [point.figures[figure], best?.figures[figure]];
    if (value === undefined) return best;
    if (before === undefined) return point;
    const [failures, fewest] = [failuresOf(point), best === undefined ? 0 : failuresOf(best)];
    if (failures !== fewest) return failures < fewest ? point : best;
    return (minimise ? value < before : value > before) ? point : best;
  }, undefined);
}

/** Why values whose figure is better are not the best one, as the end of a sentence; "" where there are none. */
export function passedOver(points: readonly Point[], best: Point, figure: string, minimise: boolean): string {
  const than = best.figures[figure] ?? 0;
  const better = points.filter(({ figures: { [figure]: value } }) =>
    value === undefined ? false : minimise ? value < than : value > than,
  );
  if (better.length === 0) return "";
  const shown = better.map(({ value, figures }) => `${value} with ${figureText(figure, figures[figure])}`).join(", ");
  return `; not ${shown}: more of what is expected fails there`;
}

/** Figures that change over the points, the wanted one first: the trade-off. */
export function tradeOff(points: readonly Point[], figure: string): readonly string[] {
  const names = [...new Set(points.flatMap(({ figures }) => Object.keys(figures)))];
  const changing = names.filter((name) => new Set(points.map(({ figures }) => figures[name] ?? 0)).size > 1);
  return [figure, ...changing.filter((name) => name !== figure)];
}
