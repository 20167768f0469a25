/** Rounds as decisions, for `hooklet plan` and `hooklet explain`, and why an image goes or stays. Pure. */
import type { Decision } from "@hooklet/core";
import { formatDuration } from "@hooklet/core/subsystem";
import type { Cleaned, Removed } from "./container-collector.js";
import type { RoundReport } from "./image-collector.js";
import { formatSize, type ImagePolicy, usagePercent } from "./images/image-policy.js";
import { elapsed, type ImageRecord, imageName } from "./images/image-records.js";
import type { Kept } from "./images/keep.js";
import type { Outcome, RoundResult } from "./images/round.js";
import type { Orphans } from "./orphaned-pod-directories.js";

type DecisionBody = Omit<Decision, "at" | "plugin">;
type Row = Decision["considered"][number];

/** Rows of one decision; what is left out is counted. */
const ROWS = 250;
const WOULD_GO = "would be removed";

/** A plugin that asked for all unused images to go, and what was free then. */
interface Asked {
  readonly by: string;
  readonly availableBytes: number | undefined;
}

/** One decision for each image that was removed or could not be removed. */
export function removalDecisions(report: RoundReport, strategy: string, asked?: Asked): readonly DecisionBody[] {
  return report.outcomes
    .filter(({ verdict }) => verdict === "removed" || verdict === "failed")
    .map((outcome) => ({
      strategy,
      subject: subjectOf(outcome.image),
      considered: [row(outcome, report)],
      outcome: `${outcome.verdict === "removed" ? "removed" : "could not be removed"} ${asked === undefined ? because(outcome, report) : askedText(asked)}`,
    }));
}

/** What a round would do, as one decision: images that go in their order, then those that may go, then those that stay. */
export function planDecision(report: RoundReport, strategy: string): DecisionBody {
  const goes = report.outcomes.filter(({ verdict }) => verdict === "removed");
  const stays = report.outcomes.filter(({ verdict }) => verdict !== "removed");
  const considered = rowsOf([...goes, ...stays, ...report.kept], "images", (fate) => row(fate, report, WOULD_GO));
  return { strategy, subject: "images", considered, outcome: planOutcome(report, goes) };
}

/** What a round of container garbage collection would do, as one decision. */
export function cleaningDecision(
  { containers, sandboxes }: Pick<Cleaned, "containers" | "sandboxes">,
  { going, staying }: Orphans,
): DecisionBody {
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
export function explainImage(report: RoundReport, strategy: string, name: string): DecisionBody | undefined {
  const fate = [...report.outcomes, ...report.kept].find(({ image }) => isCalled(image, name));
  if (fate === undefined) return undefined;
  const goes = fate.verdict === "removed";
  const { considered } = planDecision(report, strategy);
  const own = row(fate, report, WOULD_GO);
  return {
    strategy,
    subject: subjectOf(fate.image),
    // Its place among the others is the reason.
    considered: [own, ...considered.filter(({ candidate }) => candidate !== own.candidate)],
    outcome: goes ? `the next round removes it ${because(fate, report)}` : `stays: ${why(fate, report)}`,
  };
}

/** The name, its short spelling, the id or the beginning of it. */
export function isCalled({ id, names }: Pick<ImageRecord, "id" | "names">, name: string): boolean {
  const short = id.replace(/^sha256:/, "");
  if (id === name || (name.length >= 6 && (id.startsWith(name) || short.startsWith(name)))) return true;
  return names.some((own) => own === name || own.endsWith(`/${name}`) || own === `docker.io/library/${name}:latest`);
}

/** The name, which users know once the image is gone. */
function subjectOf(image: ImageRecord): string {
  return `image/${imageName(image)}`;
}

function row(fate: Kept | Outcome, report: RoundReport, removed = "removed"): Row {
  const verdict = fate.verdict === "removed" ? removed : fate.verdict;
  return { candidate: `image/${imageName(fate.image)}`, verdict, why: why(fate, report) };
}

function because(fate: Kept | Outcome, report: RoundReport): string {
  if ("reason" in fate && fate.reason === "age") return "for its age";
  const need = formatSize(Math.max(0, report.bytesToFree ?? 0));
  return `for space: ${report.usagePercent}% of the image filesystem used, ${need} to free`;
}

function askedText({ by, availableBytes }: Asked): string {
  const free = availableBytes === undefined ? "" : ` with ${formatSize(availableBytes)} free`;
  return `because ${by} asked for space${free}: all unused images go, in whatever order`;
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

/** A round's report is one. */
export interface WhyInput extends Pick<RoundResult, "usagePercent"> {
  readonly policy: ImagePolicy;
  /** When it was decided, on the clock of the records. */
  readonly now: number;
}

/** One sentence about an image, without its name. */
export function why(fate: Kept | Outcome, { policy, now, usagePercent }: WhyInput): string {
  const { image } = fate;
  switch (fate.verdict) {
    case "in use":
      return usersText(fate.users ?? []);
    case "pinned":
      return "the runtime keeps it";
    case "protected":
      return `protect: ${fate.pattern}`;
    case "failed":
      return fate.error ?? "";
    case "too young":
      return `first seen ${seconds(elapsed(image.firstDetected, now))} ago, the minimum age is ${seconds(policy.minAge)}`;
    case "used since":
      return "used since the round began";
    case "enough freed":
      return "enough is freed without it";
    case "enough room":
      return `${usagePercent}% of the image filesystem used, images are removed from ${policy.highThresholdPercent}% on`;
    case "removed":
      return fate.reason === "age"
        ? `${unused(image, now)}, the maximum age is ${seconds(policy.maxAge)}`
        : `${unused(image, now)}, ${formatSize(image.size)}`;
  }
}

function unused({ lastUsed }: ImageRecord, now: number): string {
  return lastUsed === undefined ? "never used" : `unused for ${seconds(now - lastUsed)}`;
}

const NAMED_USERS = 3;

function usersText(users: readonly string[]): string {
  const named = users.slice(0, NAMED_USERS).join(", ");
  return users.length > NAMED_USERS ? `by ${named} and ${users.length - NAMED_USERS} more` : `by ${named}`;
}

/** Milliseconds as Go prints whole seconds. */
function seconds(milliseconds: number): string {
  return formatDuration(Math.round(milliseconds / 1000));
}
