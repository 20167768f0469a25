/** Data of `hooklet explain`: the decisions about a subject, and the current state of a pod. Pure. */
import { namespacedName, type Pod } from "@hooklet/manifest";
import type { Decision } from "../plugin/contract/records.js";
import type { PodState } from "../pod/state.js";
import { type Moment, situation } from "../pod/status/situation.js";

/** Who tells, in place of a plugin and its strategy, where a pod stands now: readers go by it. */
const STANDING = { plugin: "core", strategy: "now" } as const;

/** `explain pod web` also finds `pod/default/web-node1` and what was decided about its containers. */
export function isAbout(subject: string, kind: string, name: string, nodeName: string): boolean {
  const [subjectKind, ...rest] = subject.split("/");
  if (kind === "pod" && (subjectKind === "pod" || subjectKind === "container")) {
    return isNamed(rest.slice(0, 2).join("/"), name, nodeName);
  }
  return (
    subjectKind === kind && (rest.join("/") === name || rest.at(-1) === name || rest.join("/").endsWith(`/${name}`))
  );
}

/** Whether `name` means this pod, with or without its namespace and the node's suffix. */
export function isPod({ metadata }: Pod, name: string, nodeName: string): boolean {
  return isNamed(namespacedName(metadata), name, nodeName);
}

function isNamed(full: string, name: string, nodeName: string): boolean {
  return [name, `${name}-${nodeName}`].some((wanted) => full === wanted || full.endsWith(`/${wanted}`));
}

/** Where a pod stands now, as core tells it. */
export function standing(state: PodState, moment: Moment): readonly Decision[] {
  return situation(state, moment).map(({ subject, outcome }) => ({
    at: moment.wall,
    ...STANDING,
    subject,
    considered: [],
    outcome,
  }));
}
