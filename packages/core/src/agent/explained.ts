/** Data of `hooklet explain`: the decisions about a subject, and the current state of a pod. Pure. */
import type { Decision } from "../plugin/contract/records.js";
import type { PodState } from "../pod/state.js";
import { type Moment, situation } from "../pod/status/situation.js";

/** Who tells, in place of a plugin and its strategy, where a pod stands now: readers go by it. */
const STANDING = { plugin: "core", strategy: "now" } as const;

/** Whether a decision is about a subject that is no pod: `explain image web:1` finds `image/docker.io/library/web:1` as well. */
export function isAbout(subject: string, kind: string, name: string): boolean {
  const [subjectKind, ...rest] = subject.split("/");
  const whole = rest.join("/");
  return subjectKind === kind && (whole === name || whole.endsWith(`/${name}`));
}

/** The namespace and name of the pod that a decision is about, or a container of it. */
export function podOf(subject: string): string | undefined {
  const [kind, namespace, name] = subject.split("/");
  return kind === "pod" || kind === "container" ? `${namespace}/${name}` : undefined;
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
