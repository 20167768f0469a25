/** Which pods the live view shows, in which order, and the lines of each. Pure. */

import { rowsText } from "@hooklet/cli/extend";
import { oneLine, podRows, severalNamespaces, summarize, type Trouble, troubles } from "@hooklet/cli/print";
import { namespacedName, type Pod } from "@hooklet/manifest";
import { isSettled } from "../settled.js";
import { type Style, statusStyle } from "./paint.js";

export interface PodLine {
  /** Undefined: a line below its pod's. */
  readonly uid?: string;
  readonly text: string;
}

/** What a container in trouble said last, by `<pod uid>/<container>`. */
export type LastLines = ReadonlyMap<string, string>;

/** Those whose name, namespace or status has the filter's text; those in trouble first, then those that come up, then by name. */
export function podsInOrder(pods: readonly Pod[], filter: string): readonly Pod[] {
  const wanted = filter.toLowerCase();
  const meant = pods.filter((pod) =>
    `${namespacedName(pod.metadata)} ${summarize(pod).status}`.toLowerCase().includes(wanted),
  );
  const rank = (pod: Pod): number => (isInTrouble(pod) ? 0 : isSettled(pod) ? 2 : 1);
  return meant
    .map((pod) => ({ pod, rank: rank(pod) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ pod }) => pod);
}

export function isInTrouble(pod: Pod): boolean {
  return troubles(pod).length > 0;
}

/** The heading, then each pod's line, with why it is in trouble and its last line below. */
export function podLines(
  pods: readonly Pod[],
  {
    lastLines,
    selected,
    now,
    style,
  }: { lastLines: LastLines; selected: string | undefined; now: number; style: Style },
): { readonly head: string; readonly lines: readonly PodLine[] } {
  const rows = podRows(pods, { wide: false, namespaces: severalNamespaces(pods), now });
  const [head = "", ...texts] = rowsText(rows).split("\n");
  const lines = pods.flatMap((pod, index): PodLine[] => {
    const { uid } = pod.metadata;
    const text = texts[index] ?? "";
    const { status } = summarize(pod);
    const painted = text.replace(` ${status} `, ` ${style(statusStyle(status), status)} `);
    const own = { uid, text: uid === selected ? style("inverse", text) : painted };
    return [own, ...troubles(pod).flatMap((trouble) => troubleTexts(pod, trouble, lastLines, style))];
  });
  return { head: style("bold", head), lines };
}

function troubleTexts(pod: Pod, { container, why }: Trouble, lastLines: LastLines, style: Style): readonly PodLine[] {
  const said = lastLines.get(`${pod.metadata.uid}/${container ?? ""}`);
  const name = container === undefined ? "" : `${container}: `;
  return [
    { text: style("yellow", `    ${oneLine(`${name}${why}`)}`) },
    ...(said === undefined || said === "" ? [] : [{ text: style("dim", `    | ${oneLine(said)}`) }]),
  ];
}
