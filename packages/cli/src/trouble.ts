/** What is wrong with a pod, from its status alone. Pure. */
import { allContainers, type Pod } from "@hooklet/manifest";
import type { ContainerStateTerminated, ContainerStatus } from "kubernetes-types/core/v1.js";

export interface Trouble {
  /** Undefined: the pod as a whole. */
  readonly container?: string;
  /** For example `exit code 1 (Error)`, `ErrImageNeverPull: Container image ...`. */
  readonly why: string;
  /** Which log holds its last words; undefined when none does. */
  readonly log?: "current" | "previous";
}

/** The pod's own first, then its containers' in their order; none of a pod that is well. */
export function troubles(pod: Pod): readonly Trouble[] {
  const { status } = pod;
  const own = status?.reason && status.phase !== "Succeeded" ? [{ why: words(status.reason, status.message) }] : [];
  const statuses = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
  const inOrder = allContainers(pod).flatMap(({ name }) => statuses.find((one) => one.name === name) ?? []);
  return [...own, ...inOrder.flatMap(ofContainer)];
}

/** One line, not escaped yet. */
export function troubleHead({ container, why }: Trouble): string {
  return container === undefined ? why : `container ${container}: ${why}`;
}

/** A line of a container's log below it. */
export function quotedLog(line: string): string {
  return `  | ${line}`;
}

/** Reasons for which a container that has not run yet is not in trouble. */
const PATIENT = ["ContainerCreating", "PodInitializing"];

function ofContainer({ name, state = {}, lastState = {}, ready }: ContainerStatus): readonly Trouble[] {
  const { waiting, terminated, running } = state;
  const last = lastState.terminated;
  if (terminated !== undefined) {
    return terminated.exitCode === 0 ? [] : [{ container: name, why: exitText(terminated), log: "current" }];
  }
  if (waiting !== undefined) {
    if (PATIENT.includes(waiting.reason ?? "")) return [];
    // Back-off follows on an end, which says more.
    if (waiting.reason === "CrashLoopBackOff" && last !== undefined) {
      return [
        { container: name, why: `${exitText(last)}, then ${words(waiting.reason, waiting.message)}`, log: "current" },
      ];
    }
    return [
      {
        container: name,
        why: words(waiting.reason ?? "waiting", waiting.message),
        ...(last && { log: "current" as const }),
      },
    ];
  }
  if (running === undefined || ready) return [];
  return last === undefined || last.exitCode === 0
    ? []
    : [{ container: name, why: `${exitText(last)} before it was started again`, log: "previous" }];
}

function exitText({ exitCode, reason, signal, message }: ContainerStateTerminated): string {
  const how = signal ? `signal ${signal}` : `exit code ${exitCode}`;
  const said = message?.trim();
  return `${how}${reason ? ` (${reason})` : ""}${said ? `: ${said}` : ""}`;
}

function words(reason: string, message: string | undefined): string {
  return message ? `${reason}: ${message}` : reason;
}
