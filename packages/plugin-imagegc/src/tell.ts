/** Rounds as decisions, for `hooklet plan` and `hooklet explain`. Pure. */
import type { Decision } from "@hooklet/core";
import type { Cleaned, Removed } from "./containers/collector.js";
import type { Orphans } from "./directories/sweep.js";
import type { RoundReport } from "./image-collector.js";
import type { Outcome } from "./images/free.js";
import type { Kept } from "./images/keep.js";
import { type ImageRecord, imageName } from "./images/record.js";
import { formatSize, usagePercent } from "./images/usage.js";
import { why } from "./images/why.js";

type Told = Omit<Decision, "at" | "plugin">;
type Row = Decision["considered"][number];

/** Rows of one decision; what is left out is counted. */
const ROWS = 250;
const WOULD_GO = "would be removed";

/** One decision for each image that went or could not be removed. */
export function removalDecisions(report: RoundReport, strategy: string): readonly Told[] {
  return report.outcomes
    .filter(({ verdict }) => verdict === "removed" || verdict === "failed")
    .map((outcome) => ({
      strategy,
      subject: subjectOf(outcome.image),
      considered: [row(outcome, report)],
      outcome: `${outcome.verdict === "removed" ? "removed" : "could not be removed"} ${because(outcome, report)}`,
    }));
}

/** What a round would do, as one decision: images that go in their order, then those that may go, then those that stay. */
export function planDecision(report: RoundReport, strategy: string): Told {
  const goes = report.outcomes.filter(({ verdict }) => verdict === "removed");
  const stays = report.outcomes.filter(({ verdict }) => verdict !== "removed");
  const considered = rowsOf([...goes, ...stays, ...report.kept], "images", (fate) => row(fate, report, WOULD_GO));
  return { strategy, subject: "images", considered, outcome: planOutcome(report, goes) };
}

/** What a round of container garbage collection would do, as one decision. */
export function cleaningDecision(
  { containers, sandboxes }: Pick<Cleaned, "containers" | "sandboxes">,
  { going, staying }: Orphans,
): Told {
  const dead = (kind: string, all: readonly Removed[]): readonly Row[] =>
    all.map(({ id, why }) => ({ candidate: `${kind}/${id}`, verdict: WOULD_GO, why }));
  const all: readonly Row[] = [
    ...dead("container", containers),
    ...dead("sandbox", sandboxes),
    ...going.map((uid) => ({ candidate: `pod directory/${uid}`, verdict: WOULD_GO, why: "its pod is gone" })),
    ...staying.map(({ uid, why }) => ({ candidate: `pod directory/${uid}`, verdict: "stays", why })),
  ];
  const outcome = `would remove ${containers.length} dead containers, ${sandboxes.length} sandboxes, ${going.length} directories of pods`;
  return { strategy: "kubelet", subject: "containers", considered: rowsOf(all, "rows", (one) => one), outcome };
}

function rowsOf<One>(all: readonly One[], what: string, asRow: (one: One) => Row): readonly Row[] {
  const rows = all.slice(0, ROWS).map(asRow);
  const more = all.length - rows.length;
  return more === 0
    ? rows
    : [...rows, { candidate: `${more} more ${what}`, verdict: "not shown", why: `more than ${ROWS}` }];
}

/** Why one image is still there, and what the next round does with it; undefined when there is no such image. */
export function explainImage(report: RoundReport, strategy: string, name: string): Told | undefined {
  const fate = [...report.outcomes, ...report.kept].find(({ image }) => isCalled(image, name));
  if (fate === undefined) return undefined;
  const goes = fate.verdict === "removed";
  return {
    strategy,
    subject: subjectOf(fate.image),
    considered: [row(fate, report, WOULD_GO)],
    outcome: goes ? `the next round removes it ${because(fate, report)}` : `stays: ${why(fate, report)}`,
  };
}

/** The name, its short spelling, the id or the beginning of it. */
export function isCalled({ id, names }: Pick<ImageRecord, "id" | "names">, name: string): boolean {
  const short = id.replace(/^sha256:/, "");
  if (id === name || (name.length >= 6 && (id.startsWith(name) || short.startsWith(name)))) return true;
  return names.some((own) => own === name || own.endsWith(`/${name}`) || own === `docker.io/library/${name}:latest`);
}

/** By the name, which is what people have once the image is gone. */
function subjectOf(image: ImageRecord): string {
  return `image/${imageName(image)}`;
}

function row(fate: Kept | Outcome, report: RoundReport, removed = "removed"): Row {
  const verdict = fate.verdict === "removed" ? removed : fate.verdict;
  return { candidate: `image/${imageName(fate.image)}`, verdict, why: why(fate, report) };
}

function because(fate: Kept | Outcome, report: RoundReport): string {
  if ("reason" in fate && fate.reason === "age") return "for its age";
  if (report.usagePercent === undefined) return "because space was asked for";
  const need = formatSize(Math.max(0, report.bytesToFree ?? 0));
  return `for space: ${report.usagePercent}% of the image filesystem used, ${need} to free`;
}

function planOutcome(report: RoundReport, goes: readonly Outcome[]): string {
  const bytes = goes.reduce((sum, { image }) => sum + image.size, 0);
  const what = `would remove ${goes.length} images, ${formatSize(bytes)} by their sizes`;
  const { usage, usagePercent: used } = report;
  const fails = report.failure === undefined ? "" : `; fails: ${report.failure.message}`;
  if (usage === undefined) return `${what}${fails}`;
  const need = report.bytesToFree === undefined ? "" : `, ${formatSize(Math.max(0, report.bytesToFree))} to free`;
  const left = { ...usage, availableBytes: usage.availableBytes + report.freed };
  return `${used}% of the image filesystem used${need}: ${what}, to about ${usagePercent(left)}%${fails}`;
}

/** Part by which packed and unpacked images differ anyway. */
const TOLERANCE = 0.1;

/**
 * A sentence when sizes say little about the disk: layers that images share are in each one's size, and the disk may hold them
 * both packed and unpacked. `usedBytes`: what the runtime says that images take.
 */
export function overlap(
  images: Iterable<Pick<ImageRecord, "size">>,
  usedBytes: number | undefined,
): string | undefined {
  let sizes = 0;
  for (const { size } of images) sizes += size;
  // A runtime that has just started has not counted yet.
  if (usedBytes === undefined || usedBytes === 0 || sizes === 0) return undefined;
  const both = `the sizes of all images add up to ${formatSize(sizes)}, on disk they take ${formatSize(usedBytes)}`;
  if (usedBytes < sizes * (1 - TOLERANCE))
    return `${both}: images share layers, and a removal frees less than the image's size`;
  return usedBytes > sizes * (1 + TOLERANCE) ? `${both}: a removal may free more than the image's size` : undefined;
}
