/** `hooklet explain pod`: the cause and the next step, where it stands, what is in trouble, then the decisions. Pure. */
import type { Decision } from "@hooklet/core";
import { allContainers, namespacedName } from "@hooklet/manifest";
import type { Event } from "kubernetes-types/core/v1.js";
import { summarize } from "../pod-status.js";
import { quotedLog, type Trouble, troubleHead, troubles } from "../trouble.js";
import { causeOf } from "./cause/cause.js";
import type { CauseFacts } from "./cause/facts.js";
import { escapeControls, oneLine } from "./escape.js";
import { decisionsText, indent, lastSeen } from "./event-table.js";

export interface Explained extends CauseFacts {
  /** Also what is as computed, and what is not enforced here. */
  readonly all: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** As in core's decisions that tell where a pod stands. */
const STANDING = { plugin: "core", strategy: "now" };
/** Values that need no action. */
const SETTLED = /: computed now(?:; ok|; not enforced.*)?$/;
const WARNINGS = 5;
/** Characters: shorter words may stand twice. */
const LONG = 30;

export function explainedPod(explained: Explained): string {
  const { pod, decisions, all } = explained;
  const isStanding = ({ plugin, strategy }: Decision): boolean =>
    plugin === STANDING.plugin && strategy === STANDING.strategy;
  const others = decisions.filter((decision) => !isStanding(decision));
  const settled = others.filter(({ outcome }) => SETTLED.test(outcome));
  const hidden = all ? [] : settled;
  const shown = others.filter((decision) => !hidden.includes(decision));
  const { status, ready, total, restarts } = summarize(pod);
  const cause = causeOf(explained);
  const head = cause === undefined ? [] : [oneLine(cause.cause), oneLine(`Next: ${cause.next}`)];
  const trouble = troubleLines(explained, head);
  const stands = decisions.filter(isStanding).map(({ subject, outcome }) => standingLine(subject, outcome));
  return [
    ...(head.length === 0 ? [] : [...head, ""]),
    `pod ${namespacedName(pod.metadata)}: ${status}, ${ready} of ${total} ready, ${restarts} ${restarts === 1 ? "restart" : "restarts"}`,
    ...stands.map((line) => `  ${withoutRepeats(line, explained, [...head, ...trouble])}`),
    ...memoryNote(explained, settled).map((line) => `  ${line}`),
    ...section("Trouble:", trouble),
    ...section("Warnings:", warningLines(explained, [...head, ...trouble])),
    "",
    ...(shown.length === 0
      ? ["Decisions: none. No plugin chose anything for the pod, or set env, mounts or devices in it."]
      : ["Decisions:", indent(decisionsText(shown), 2)]),
    ...(hidden.length === 0
      ? []
      : ["", `Not shown: what ${pluginsOf(hidden)} computed for the pod and its containers; --all shows it.`]),
  ].join("\n");
}

function pluginsOf(decisions: readonly Decision[]): string {
  const names = [...new Set(decisions.map(({ plugin }) => plugin))];
  return `plugin${names.length === 1 ? "" : "s"} ${names.join(", ")}`;
}

const NOT_ENFORCED = /: computed now; not enforced/;

/** A limit that nothing holds the containers to. */
function memoryNote({ pod }: Explained, settled: readonly Decision[]): readonly string[] {
  const limited = allContainers(pod).filter(({ resources }) => resources?.limits?.memory !== undefined);
  if (limited.length === 0 || !settled.some(({ outcome }) => NOT_ENFORCED.test(outcome))) return [];
  const limits = limited.map(({ name, resources }) => `${name}: ${resources?.limits?.memory}`).join(", ");
  return [oneLine(`memory limits are not enforced on this node (${limits}); hooklet describe node says why`)];
}

/** Words of containers that stand in full elsewhere. */
function withoutRepeats(line: string, { pod }: Explained, elsewhere: readonly string[]): string {
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  const messages = [...initContainerStatuses, ...containerStatuses].flatMap(({ state, lastState }) =>
    [state?.waiting, state?.terminated, lastState?.terminated].flatMap((one) => oneLine(one?.message?.trim() ?? "")),
  );
  const said = messages.filter((message) => message.length > LONG && elsewhere.some((one) => one.includes(message)));
  return said.reduce((text, message) => text.replaceAll(`: ${message}`, ""), line);
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
/** Words of a message that tell what failed: `MountVolume.SetUp failed for volume "v"`. */
const KIND_WORDS = 5;

function warningLines({ pod, events, now }: Explained, head: readonly string[]): readonly string[] {
  const own = pod.status?.message ?? "";
  const news = events.filter(
    ({ type, reason = "", message = "" }) =>
      type === "Warning" && !FOLLOWS.includes(reason) && !isSaid(message.replace(/^Error: /, ""), [...head, own]),
  );
  // The newest of its kind: messages of the same failure differ in ids and times.
  const newest = news.filter((event, at) => !news.slice(at + 1).some((later) => kindOf(later) === kindOf(event)));
  return newest.slice(-WARNINGS).map((event) => warningLine(event, now));
}

function kindOf({ reason = "", message = "", involvedObject }: Event): string {
  return [reason, involvedObject.fieldPath ?? "", ...message.split(/\s+/, KIND_WORDS)].join(" ");
}

function isSaid(message: string, lines: readonly string[]): boolean {
  const text = oneLine(message.trim());
  return text !== "" && lines.some((line) => line.includes(text));
}

function warningLine(event: Event, now: number): string {
  return escapeControls(`${lastSeen(event, now)}  ${event.reason ?? ""}: ${oneLine((event.message ?? "").trim())}`);
}
