/** `hooklet explain pod`. Pure. */
import type { Decision } from "@hooklet/core";
import { namespacedName, type Pod } from "@hooklet/manifest";
import type { Event } from "kubernetes-types/core/v1.js";
import { summarize } from "../pod-status.js";
import { decisionsText, indent } from "./decisions.js";
import { escapeControls, oneLine } from "./escape.js";
import { lastSeen } from "./event-table.js";

export interface Explained {
  readonly pod: Pod;
  readonly decisions: readonly Decision[];
  /** Of the pod, oldest first. */
  readonly events: readonly Event[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** As in core's decisions that tell where a pod stands. */
const STANDING = { plugin: "core", strategy: "now" };
const WARNINGS = 5;

/** Where it stands and what comes next; its newest warnings; then what was decided, and by whom. */
export function explainedPod({ pod, decisions, events, now }: Explained): string {
  const isStanding = ({ plugin, strategy }: Decision): boolean =>
    plugin === STANDING.plugin && strategy === STANDING.strategy;
  const stands = decisions.filter(isStanding).map(({ subject, outcome }) => standingLine(subject, outcome));
  const others = decisions.filter((decision) => !isStanding(decision));
  const warnings = events.filter(({ type }) => type === "Warning").slice(-WARNINGS);
  const { status, ready, total, restarts } = summarize(pod);
  return [
    `pod ${namespacedName(pod.metadata)}: ${status}, ${ready} of ${total} ready, ${restarts} restarts`,
    ...stands.map((line) => `  ${line}`),
    ...(warnings.length === 0 ? [] : ["", "Warnings:", ...warnings.map((event) => `  ${warningLine(event, now)}`)]),
    "",
    ...(others.length === 0
      ? ["Decisions: none but to run it: no plugin refused, chose or changed anything."]
      : ["Decisions:", indent(decisionsText(others), 2)]),
  ].join("\n");
}

function standingLine(subject: string, outcome: string): string {
  const [kind, , , container] = subject.split("/");
  return oneLine(kind === "container" && container !== undefined ? `${container}: ${outcome}` : outcome);
}

function warningLine(event: Event, now: number): string {
  return escapeControls(`${lastSeen(event, now)}  ${event.reason ?? ""}: ${oneLine((event.message ?? "").trim())}`);
}
