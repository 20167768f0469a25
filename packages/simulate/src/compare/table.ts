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

/** Cells of one scenario: a row for each figure that some run has; the last cell tells where they differ. */
export function figureRows({ runs }: Compared): readonly (readonly string[])[] {
  const names = [...new Set(runs.flatMap(({ figures }) => Object.keys(figures)))];
  return names.flatMap((name) => {
    const values = runs.map(({ figures }) => figures[name]);
    if (values.every((value) => value === undefined || value === 0)) return [];
    return [[name, ...values.map((value) => figureText(name, value)), differs(values) ? "differs" : ""]];
  });
}

/** Rows of several scenarios in one table: what is the same everywhere is left out. */
export function differingRows(all: readonly Compared[]): readonly (readonly string[])[] {
  return all.flatMap((compared) => {
    const rows = figureRows(compared).filter((row) => row.at(-1) !== "");
    if (rows.length === 0) return [[compared.scenario, "no figure differs", ...compared.runs.map(() => "")]];
    return rows.map((row, index) => [index === 0 ? compared.scenario : "", ...row.slice(0, -1)]);
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
    `${first} and ${second} part at ${clockText(parting.t)}:`,
    ...side(0, parting.first),
    ...side(1, parting.second),
  ].join("\n");
}
