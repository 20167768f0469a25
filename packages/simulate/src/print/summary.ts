/** The end of a run for people: figures, and what was expected. Pure. */

import { table } from "@hooklet/cli/extend";
import type { FigureTable } from "../records/figures.js";
import { type Failure, failuresOf, type Outcome } from "../run/outcome.js";
import { bytesText, clockText } from "./clock-text.js";
import { shortName } from "./lines.js";

/** A figure as people read it; "-" where there was nothing to measure. Counts that are not there are 0. */
export function figureText(name: string, value: number | undefined): string {
  if (value === undefined) return name.startsWith("ready ") ? "-" : "0";
  if (name.startsWith("bytes ")) return bytesText(value);
  return name.startsWith("ready ") ? clockText(value) : String(value);
}

/** Figures that say something: counts of 0 are left out. */
export function figureLines(figures: FigureTable): readonly string[] {
  const shown = Object.entries(figures).filter(([, value]) => value !== undefined && value !== 0);
  const width = Math.max(0, ...shown.map(([name]) => name.length));
  return shown.map(([name, value]) => `${name.padEnd(width)}  ${figureText(name, value)}`);
}

/** The pods at the end, as a table. */
export function finalLines({ pods }: Outcome["final"]): readonly string[] {
  if (pods.length === 0) return ["no pods at the end"];
  const rows = pods.map(({ pod, phase, ready, restarts, reason }) => [
    shortName(pod),
    `${phase}${reason === "" ? "" : ` (${reason})`}`,
    ready ? "ready" : "",
    restarts === 0 ? "" : `${restarts} ${restarts === 1 ? "restart" : "restarts"}`,
  ]);
  return table(["AT THE END", "PHASE", "", ""], rows)
    .split("\n")
    .map((line) => line.trimEnd());
}

/** `FILE:LINE expect[2] at 45s: pod web: expected phase Running, found Pending`. */
export function failureText(file: string, { path, line, t, what, difference }: Failure): string {
  return `${line === undefined ? file : `${file}:${line}`} ${path} at ${clockText(t)}: ${what}: ${difference}`;
}

export function verdictText(outcome: Outcome): string {
  const { length: count } = outcome.expectations;
  const { length: held } = outcome.expectations.filter(({ failure }) => failure === undefined);
  const [steps, faults] = [outcome.failedSteps.length, outcome.faults.length];
  return [
    count === 0 ? "nothing was expected" : `${held} of ${count} expectations hold`,
    ...(steps === 0 ? [] : [`${counted(steps, "step")} of the timeline could not be done`]),
    ...(faults === 0 ? [] : [`${counted(faults, "error")} of plugins and strategies`]),
  ].join(", ");
}

function counted(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? "" : "s"}`;
}

// What is another from one run of a scenario to the next.

type Compared = Pick<Outcome, "final" | "figures" | "expectations" | "failedSteps" | "faults">;

/** A line each: pods, figures, then expectations. Empty: nothing changed. */
export function outcomeChanges(file: string, before: Compared, after: Compared): readonly string[] {
  return [...podChanges(before, after), ...figureChanges(before, after), ...failureChanges(file, before, after)];
}

function podChanges(before: Compared, after: Compared): readonly string[] {
  const [old, now] = [before, after].map(({ final }) => new Map(final.pods.map((pod) => [pod.pod, podText(pod)])));
  const names = new Set([...(old?.keys() ?? []), ...(now?.keys() ?? [])]);
  return [...names].flatMap((name) => {
    const [was, is] = [old?.get(name) ?? "not there", now?.get(name) ?? "not there"];
    return was === is ? [] : [`pod ${shortName(name)}: ${was} -> ${is}`];
  });
}

function podText({ phase, reason, ready, restarts }: Outcome["final"]["pods"][number]): string {
  const why = reason === "" ? "" : ` (${reason})`;
  return `${phase}${why}${ready ? ", ready" : ""}${restarts === 0 ? "" : `, ${restarts} restarts`}`;
}

function figureChanges(before: Compared, after: Compared): readonly string[] {
  const names = new Set([...Object.keys(before.figures), ...Object.keys(after.figures)]);
  return [...names].flatMap((name) => {
    const [was, is] = [figureText(name, before.figures[name]), figureText(name, after.figures[name])];
    return was === is ? [] : [`${name}: ${was} -> ${is}`];
  });
}

function failureChanges(file: string, before: Compared, after: Compared): readonly string[] {
  const [old, now] = [before, after].map(
    (one) => new Set(failuresOf(one).map((failure) => failureText(file, failure))),
  );
  return [
    ...[...(now ?? [])].filter((text) => !old?.has(text)).map((text) => `fails now: ${text}`),
    ...[...(old ?? [])].filter((text) => !now?.has(text)).map((text) => `no longer: ${text}`),
  ];
}
