/** `hooklet explain pod`: the cause and the next step, where it stands, what is in trouble, then the decisions. Pure. */
import type { Decision } from "@hooklet/core";
import { namespacedName } from "@hooklet/manifest";
import type { Event } from "kubernetes-types/core/v1.js";
import { summarize } from "../pod-status.js";
import { quotedLog, type Trouble, troubleHead, troubles } from "../trouble.js";
import { causeOf } from "./cause/cause.js";
import type { CauseFacts } from "./cause/facts.js";
import { decisionsText, indent } from "./decisions.js";
import { escapeControls, oneLine } from "./escape.js";
import { lastSeen } from "./event-table.js";

export interface Explained extends CauseFacts {
  /** Also what is as computed, and what is not enforced here. */
  readonly all: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** As in core's decisions that tell where a pod stands. */
const STANDING = { plugin: "core", strategy: "now" };
/** Values that nobody has to act on. */
const SETTLED = /: computed now(?:; ok|; not enforced.*)?$/;
const WARNINGS = 5;

export function explainedPod(explained: Explained): string {
  const { pod, decisions, all } = explained;
  const isStanding = ({ plugin, strategy }: Decision): boolean =>
    plugin === STANDING.plugin && strategy === STANDING.strategy;
  const stands = decisions.filter(isStanding).map(({ subject, outcome }) => standingLine(subject, outcome));
  const others = decisions.filter((decision) => !isStanding(decision));
  const shown = all ? others : others.filter(({ outcome }) => !SETTLED.test(outcome));
  const { status, ready, total, restarts } = summarize(pod);
  const cause = causeOf(explained);
  const head = cause === undefined ? [] : [oneLine(cause.cause), oneLine(`Next: ${cause.next}`)];
  return [
    ...(head.length === 0 ? [] : [...head, ""]),
    `pod ${namespacedName(pod.metadata)}: ${status}, ${ready} of ${total} ready, ${restarts} restarts`,
    ...stands.map((line) => `  ${line}`),
    ...section("Trouble:", troubleLines(explained, head)),
    ...section("Warnings:", warningLines(explained, head)),
    "",
    ...(shown.length === 0
      ? ["Decisions: none but to run it: no plugin refused, chose or changed anything."]
      : ["Decisions:", indent(decisionsText(shown), 2)]),
    ...(shown.length === others.length
      ? []
      : ["", `Hidden: ${others.length - shown.length} lists of computed values; --all shows them.`]),
  ].join("\n");
}

function section(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", title, ...lines.map((line) => `  ${line}`)];
}

function standingLine(subject: string, outcome: string): string {
  const [kind, , , container] = subject.split("/");
  return oneLine(kind === "container" && container !== undefined ? `${container}: ${outcome}` : outcome);
}

/** What the first lines have said already is not said again; a container's log is. */
function troubleLines({ pod, logs }: Explained, head: readonly string[]): readonly string[] {
  return troubles(pod).flatMap((trouble: Trouble) => {
    const log = (logs.get(trouble.container ?? "") ?? []).map(quotedLog);
    const { reason, message } = saidBy(trouble);
    return log.length === 0 && isSaid(message || reason, head) ? [] : [oneLine(troubleHead(trouble)), ...log];
  });
}

function saidBy({ why }: Trouble): { readonly reason: string; readonly message: string } {
  const colon = why.indexOf(": ");
  return colon === -1 ? { reason: why, message: "" } : { reason: why.slice(0, colon), message: why.slice(colon + 2) };
}

/** Repeats of what stands above, and what follows from it. */
const FOLLOWS = ["BackOff"];

function warningLines({ pod, events, now }: Explained, head: readonly string[]): readonly string[] {
  const own = pod.status?.message ?? "";
  const news = events.filter(
    ({ type, reason = "", message = "" }) =>
      type === "Warning" && !FOLLOWS.includes(reason) && !isSaid(message.replace(/^Error: /, ""), [...head, own]),
  );
  return news.slice(-WARNINGS).map((event) => warningLine(event, now));
}

function isSaid(message: string, lines: readonly string[]): boolean {
  const text = oneLine(message.trim());
  return text !== "" && lines.some((line) => line.includes(text));
}

function warningLine(event: Event, now: number): string {
  return escapeControls(`${lastSeen(event, now)}  ${event.reason ?? ""}: ${oneLine((event.message ?? "").trim())}`);
}
