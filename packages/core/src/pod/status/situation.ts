/** The situation of a pod in words: what happened, what is, what comes next and when. Pure. */
import {
  allContainers,
  type Container,
  initContainers,
  isSidecar,
  namespacedName,
  runnableContainers,
} from "@hooklet/manifest";
import { formatDuration } from "@hooklet/utils";
import { nextStart } from "../decide.js";
import { initDone } from "../next-container.js";
import { isRestartingAll, policyOf } from "../restart.js";
import type { ContainerState, Exit, Life, PodState } from "../state.js";
import { causeMessage, type Ending, terminationProgress } from "./termination-progress.js";

export interface Situation {
  /** `pod/default/web`, or `container/default/web/main`. */
  readonly subject: string;
  readonly outcome: string;
}

export interface Moment {
  /** Monotonic milliseconds. */
  readonly now: number;
  /** Milliseconds since the epoch. */
  readonly wall: number;
  /** How far the end of the pod has come. */
  readonly ending?: Ending | undefined;
}

/** The pod first, then its containers in the order of the manifest, ephemeral ones last. */
export function situation(state: PodState, moment: Moment): readonly Situation[] {
  const full = namespacedName(state.pod.metadata);
  const pod = { subject: `pod/${full}`, outcome: podWords(state, moment) };
  if (state.life.kind === "pending" || state.life.kind === "rejected") return [pod];
  const containers = runnableContainers(state.pod).map((container) => ({
    subject: `container/${full}/${container.name}`,
    outcome: containerWords(state, container, moment),
  }));
  return [pod, ...containers];
}

function podWords(state: PodState, moment: Moment): string {
  const { life, syncFailure, sandbox } = state;
  if (life.kind !== "active") return `${lifeWords(life, moment)}${terminationProgress(state, moment.ending)}`;
  const since = `admitted ${ago(state.startTime, moment)}`;
  if (syncFailure !== undefined) {
    const times = syncFailure.count > 1 ? ` (${syncFailure.count} times)` : "";
    return `${since}; what it needs could not be made${times}: ${syncFailure.message}; tried again ${ahead(syncFailure.notBefore, moment)}`;
  }
  return sandbox.kind === "ready" ? since : `${since}; its sandbox is being made`;
}

function lifeWords(life: Exclude<Life, { kind: "active" }>, moment: Moment): string {
  switch (life.kind) {
    case "pending": {
      const { postponed } = life;
      if (postponed === undefined) return "waits for its turn to be admitted";
      return `waits to be admitted (${postponed.reason}: ${postponed.message}); asked again ${ahead(postponed.notBefore, moment)}`;
    }
    case "rejected":
      return `refused (${life.reason}): ${life.message}; not tried again while this agent runs: ${remedyWords(life.reason)}`;
    case "terminating": {
      const grace = life.gracePeriodSeconds === undefined ? "" : `, within ${formatDuration(life.gracePeriodSeconds)}`;
      return `is being stopped since ${formatDuration(seconds(moment.wall - life.since))}${grace}: ${causeMessage(life.cause)}`;
    }
    case "ended":
      return `has ended: ${causeMessage(life.cause)}; it is not started again`;
    case "gone":
      return "nothing of it is left on the node; waits until its source has taken its last status (an API server that is away, as a rule)";
  }
}

/** The kubelet's rejections for insufficient resources. */
const LACKS_ROOM = /^(OutOf.+|TopologyAffinityError)$/;

function remedyWords(reason: string): string {
  return LACKS_ROOM.test(reason)
    ? "change its manifest, or make room, delete the pod and apply it again"
    : "change its manifest, or fix the cause, delete the pod and apply it again";
}

function containerWords(state: PodState, container: Container, moment: Moment): string {
  const now = state.containers[container.name];
  if (now === undefined) return "is not known yet";
  switch (now.kind) {
    case "running":
      return `${runningWords(state, container, now, moment)}${previousExit(now.last, moment)}`;
    case "starting":
      return `is being started${attemptWords(now.attempt)}${previousExit(now.last, moment)}`;
    case "waiting":
      return `${waitingWords(state, container, now, moment)}${previousExit(now.last, moment)}`;
    case "exited":
      return `${exitWords(now.exit, moment)}; ${afterExit(state, container, now, moment)}`;
  }
}

function runningWords(
  state: PodState,
  { name }: Container,
  running: Extract<ContainerState, { kind: "running" }>,
  moment: Moment,
): string {
  const gate = { ready: true, started: true, ...state.gates[name] };
  const parts = [
    `runs since ${formatDuration(seconds(moment.wall - running.startedAt))}${attemptWords(running.attempt)}`,
  ];
  if (running.kill !== undefined) parts.push(`is about to be stopped and started again: ${running.kill.message}`);
  else if (!gate.started) parts.push("its startup probe has not succeeded yet");
  else if (!gate.ready) parts.push("not ready: its readiness probe fails, or has not succeeded yet");
  return parts.join("; ");
}

function waitingWords(
  state: PodState,
  container: Container,
  { reason, message, notBefore, last }: Extract<ContainerState, { kind: "waiting" }>,
  moment: Moment,
): string {
  if (state.life.kind !== "active") return last === undefined ? "was never started" : "not started again";
  const before = blockers(state, container);
  if (before !== undefined) return `waits for ${before}`;
  const why = message === "" ? reason : `${reason}: ${message}`;
  const next = notBefore === undefined ? "comes next" : `tried again ${ahead(notBefore, moment)}`;
  return `waits (${why}); ${next}`;
}

/** What has to be done first; ephemeral containers wait for none of the others. */
function blockers(state: PodState, container: Container): string | undefined {
  if (state.initialized || !allContainers(state.pod).includes(container)) return undefined;
  for (const init of initContainers(state.pod)) {
    if (init === container) return undefined;
    if (!initDone(state, init)) return `${isSidecar(init) ? "sidecar" : "init container"} ${init.name}`;
  }
  return undefined;
}

function afterExit(
  state: PodState,
  container: Container,
  exited: Extract<ContainerState, { kind: "exited" }>,
  moment: Moment,
): string {
  if (state.life.kind !== "active") return "not started again";
  if (isRestartingAll(state))
    return `all containers are removed and started again, ${state.restartRequested ? "as was asked for" : "by a restart rule"}`;
  const policy = policyOf(state, container);
  const at = nextStart(state, container.name, policy);
  if (at === undefined) {
    // Its policy is not the one in the manifest.
    if (isInit(state, container) && exited.exit.exitCode === 0) return "has done its work as an init container";
    return `not started again (restartPolicy ${policy})`;
  }
  const window = state.backOffs[container.name]?.window;
  const { failure } = exited;
  // What could not be started ended with the same message.
  const why =
    failure === undefined || failure.message === exited.exit.message ? "" : ` (${failure.reason}: ${failure.message})`;
  const backOff =
    window === undefined || at <= moment.now ? "" : `, after a back-off of ${formatDuration(seconds(window))}`;
  return `started again ${ahead(at, moment)}${backOff}${why}`;
}

function isInit({ pod }: PodState, container: Container): boolean {
  return initContainers(pod).includes(container) && !isSidecar(container);
}

function exitWords({ exitCode, reason, message, startedAt, finishedAt }: Exit, moment: Moment): string {
  const suffix = message === "" ? "" : `: ${message.trim()}`;
  const ran =
    finishedAt > startedAt && startedAt > 0 ? ` having run ${formatDuration(seconds(finishedAt - startedAt))}` : "";
  return `ended ${ago(finishedAt, moment)} with exit code ${exitCode} (${reason})${ran}${suffix}`;
}

function previousExit(last: Exit | undefined, moment: Moment): string {
  if (last === undefined) return "";
  if (last.id === "") return "; before that it was removed, as all containers were restarted";
  return `; before that it ${exitWords(last, moment)}`;
}

function attemptWords(attempt: number): string {
  return attempt === 0 ? "" : ` (restarted ${attempt} ${attempt === 1 ? "time" : "times"})`;
}

function ago(time: number, { wall }: Moment): string {
  return `${formatDuration(seconds(wall - time))} ago`;
}

function ahead(time: number, { now }: Moment): string {
  return time <= now ? "now" : `in ${formatDuration(seconds(time - now))}`;
}

/** Whole seconds. */
function seconds(milliseconds: number): number {
  return Math.max(0, Math.round(milliseconds / 1000));
}
