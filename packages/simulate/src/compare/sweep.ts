/** Searches over a grid of values. Pure. */
import { NodeAgentError } from "@hooklet/core";
import { didYouMean, nearest } from "@hooklet/manifest";
import type { FigureTable } from "../records/figures.js";

/** More runs than anybody waits for. */
const MAX_VALUES = 1000;

export interface Sweep {
  readonly path: string;
  readonly values: readonly string[];
}

/** `plugins.imagegc.imageGCHighThresholdPercent=70..95:5`, or a list `order=lru,largest-first`. @throws NodeAgentError INVALID */
export function parseSweep(text: string): Sweep {
  const [, path = "", range = ""] = /^([^=]+)=(.+)$/.exec(text) ?? [];
  const [, from, to, step = "1"] = /^(-?\d+(?:\.\d+)?)\.\.(-?\d+(?:\.\d+)?)(?::(\d+(?:\.\d+)?))?$/.exec(range) ?? [];
  if (path === "") throw bad(text);
  if (from === undefined || to === undefined) {
    if (range.includes("..") || !range.includes(",")) throw bad(text);
    return { path, values: range.split(",") };
  }
  const count = Math.floor((Number(to) - Number(from)) / Number(step) + 1e-9) + 1;
  if (!(Number(step) > 0) || count < 1 || count > MAX_VALUES) throw bad(text);
  const values = Array.from({ length: count }, (_, index) =>
    String(Number((Number(from) + index * Number(step)).toFixed(9))),
  );
  return { path, values };
}

function bad(text: string): NodeAgentError {
  const expected = `PATH=FROM..TO:STEP with at most ${MAX_VALUES} values, or PATH=A,B,C`;
  return new NodeAgentError("INVALID", `--sweep: expected ${expected}, found "${text}".`);
}

/** The figure that people mean by `pulls`, `bytes-removed` or `ready-p99`. @throws NodeAgentError INVALID */
export function figureNamed(text: string, known: readonly string[], option: string): string {
  const plain = (name: string): string =>
    name
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, " ")
      .trim();
  const found = known.find((name) => plain(name) === plain(text));
  if (found !== undefined) return found;
  const near = nearest(text, known);
  const names = near.length > 0 ? "a figure" : `a figure (${known.join(", ")})`;
  throw new NodeAgentError("INVALID", `${option}: expected ${names}, found "${text}".${didYouMean(near)}`);
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

/** Figures that change over the points, the wanted one first: the trade-off. */
export function tradeOff(points: readonly Point[], figure: string): readonly string[] {
  const names = [...new Set(points.flatMap(({ figures }) => Object.keys(figures)))];
  const changing = names.filter((name) => new Set(points.map(({ figures }) => figures[name] ?? 0)).size > 1);
  return [figure, ...changing.filter((name) => name !== figure)];
}
