/** What is another from one run of a scenario to the next. Pure. */
import { failuresOf, type Outcome } from "../run/outcome.js";
import { shortName } from "./lines.js";
import { failureText, figureText } from "./summary.js";

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
