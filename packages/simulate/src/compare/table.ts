/** Comparisons as tables. Pure. */
import { clockText } from "../print/clock-text.js";
import { figureText } from "../print/summary.js";
import type { FigureTable } from "../records/figures.js";
import type { Parting, Way } from "./parting.js";

export interface Compared {
  readonly scenario: string;
  readonly runs: readonly { readonly name: string; readonly figures: FigureTable }[];
}

const MAX_DECISIONS = 5;

export interface FigureRow {
  readonly name: string;
  /** In words, one for each run. */
  readonly values: readonly string[];
  readonly differs: boolean;
}

/** A row for each figure that some run has. */
export function figureRows(runs: readonly { readonly figures: FigureTable }[]): readonly FigureRow[] {
  const names = [...new Set(runs.flatMap(({ figures }) => Object.keys(figures)))];
  return names.flatMap((name) => {
    const values = runs.map(({ figures }) => figures[name]);
    if (values.every((value) => value === undefined || value === 0)) return [];
    return [{ name, values: values.map((value) => figureText(name, value)), differs: differs(values) }];
  });
}

/** Cells of one scenario; the last one tells where the runs differ. */
export function figureCells({ runs }: Compared): readonly (readonly string[])[] {
  return figureRows(runs).map(({ name, values, differs }) => [name, ...values, differs ? "differs" : ""]);
}

/** Rows of several scenarios in one table: what is the same everywhere is left out. */
export function differingRows(all: readonly Compared[]): readonly (readonly string[])[] {
  return all.flatMap((compared) => {
    const rows = figureRows(compared.runs).filter((row) => row.differs);
    if (rows.length === 0) return [[compared.scenario, "no figure differs", ...compared.runs.map(() => "")]];
    return rows.map(({ name, values }, index) => [index === 0 ? compared.scenario : "", name, ...values]);
  });
}

function differs(values: readonly (number | undefined)[]): boolean {
  return new Set(values.map((value) => value ?? 0)).size > 1;
}

/** In words where two runs part, and what had been decided there. */
export function partingText(
  names: readonly [string, string],
  ways: readonly [Way, Way],
  parting: Parting | undefined,
): string {
  const [first, second] = names;
  if (parting === undefined) return `${first} and ${second} go the same way`;
  const side = (index: 0 | 1, milestone: Parting["first"]): readonly string[] => {
    const what =
      milestone === undefined
        ? "nothing more happens"
        : milestone.t === parting.t
          ? milestone.text
          : `nothing until ${clockText(milestone.t)}`;
    const decisions = ways[index].decisionsAt(parting.t);
    const more = decisions.length - MAX_DECISIONS;
    return [
      `  ${names[index]}: ${what}`,
      ...decisions.slice(0, MAX_DECISIONS).map((text) => `    decided: ${text.trim()}`),
      ...(more > 0 ? [`    and ${more} more decisions`] : []),
    ];
  };
  return [
    `${first} and ${second} differ from ${clockText(parting.t)} on:`,
    ...side(0, parting.first),
    ...side(1, parting.second),
  ].join("\n");
}
