/** Stops the pods of the node, group after group. */
import { type Clock, errorText, type NodeContext, namespacedName, type Pod } from "@hooklet/core";
import { pause } from "@hooklet/core/subsystem";
import { graceOf, groupByPriority, type Period } from "./groups.js";
import { disruption, terminated } from "./messages.js";

export interface StopperParts extends Pick<NodeContext, "log"> {
  readonly clock: Clock;
  readonly pods: Pick<NodeContext["pods"], "active" | "awaited" | "evict" | "list">;
  readonly periods: readonly Period[];
}

/** Milliseconds between two checks for late pods and for the end of all: a longer wait may outlast the machine. */
const LOOK = 100;
const PATIENCE = 10_000;
/** Phases of pods that have ended, or were refused. */
const OVER: ReadonlySet<string> = new Set(["Failed", "Succeeded"]);

/** Of one shutdown. */
interface Under {
  /** Uids of pods that were stopped. */
  readonly asked: Set<string>;
  /** Monotonic milliseconds after which late pods are not waited for. */
  readonly patience: number;
}

/** Resolves once all are gone, the time of the last group is over, or the signal aborts. Reports pods that could not be stopped. */
export async function stopAll(parts: StopperParts, signal: AbortSignal): Promise<void> {
  const { clock, log, periods, pods } = parts;
  const asked = new Set<string>();
  const patience = clock.monotonic() + PATIENCE;
  for (const index of periods.keys()) {
    if (signal.aborted) return;
    await stopGroup(parts, index, { asked, patience }, signal);
  }
  if (signal.aborted) return;
  for (const { metadata } of [...pods.active(), ...coming(pods)]) {
    if (asked.has(metadata.uid)) continue;
    log.warn(
      { pod: namespacedName(metadata) },
      "not stopped: it was not known, or not let in yet, in its group's time",
    );
  }
}

/**
 * An agent that starts in the middle of a shutdown sees running pods before their sources deliver them: it waits for such pods of the
 * group, within the group's time, while the others end. A pod that comes later goes with the next group.
 */
async function stopGroup(
  parts: StopperParts,
  index: number,
  { asked, patience }: Under,
  signal: AbortSignal,
): Promise<void> {
  const { clock, log, periods, pods } = parts;
  const { priority, shutdownGracePeriodSeconds } = periods[index] as Period;
  const end = clock.monotonic() + shutdownGracePeriodSeconds * 1_000;
  const left = (): number => Math.max(0, end - clock.monotonic());
  const stops: Promise<void>[] = [];
  for (;;) {
    const due = groupByPriority(periods, pods.active())
      .slice(0, index + 1)
      .flatMap((group) => group.pods)
      .filter(({ metadata }) => !asked.has(metadata.uid));
    for (const pod of due) {
      asked.add(pod.metadata.uid);
      stops.push(stop(parts, pod, { priority, shutdownGracePeriodSeconds: Math.round(left() / 1_000) }));
    }
    const isAwaited = groupByPriority(periods, coming(pods))[index]?.pods.length !== 0;
    const wait = Math.min(LOOK, left(), patience - clock.monotonic());
    if (!isAwaited || wait <= 0) break;
    await pause(clock, wait, signal);
    if (signal.aborted) return;
  }
  if (stops.length === 0) return;
  const inTime = await endsWithin(clock, left(), Promise.all(stops), signal);
  if (signal.aborted) return;
  const facts = { priority, gracePeriod: shutdownGracePeriodSeconds, pods: stops.length };
  log.info(facts, inTime ? "all pods of the group have ended" : "Shutdown manager pod killing time out");
}

async function stop({ log, pods }: StopperParts, pod: Pod, period: Period): Promise<void> {
  const gracePeriodSeconds = graceOf(pod, period);
  try {
    await pods.evict(pod.metadata.uid, {
      ...terminated,
      gracePeriodSeconds,
      condition: disruption,
      unconditional: true,
      lasting: false,
    });
  } catch (error) {
    log.warn({ pod: namespacedName(pod.metadata) }, `Shutdown manager failed killing pod: ${errorText(error)}`);
  }
}

/** Those of which no source has spoken yet, and those that are not let in yet: of them some run from before, too. */
function coming(pods: StopperParts["pods"]): readonly Pod[] {
  const active = new Set(pods.active().map(({ metadata }) => metadata.uid));
  const known = pods
    .list()
    .filter(({ metadata, status }) => !active.has(metadata.uid) && !OVER.has(status?.phase ?? "Pending"));
  return [...pods.awaited(), ...known];
}

/** False: the time was over first, or the signal has aborted. */
async function endsWithin(
  clock: Clock,
  milliseconds: number,
  work: Promise<unknown>,
  signal: AbortSignal,
): Promise<boolean> {
  const enough = new AbortController();
  const over = pause(clock, milliseconds, AbortSignal.any([signal, enough.signal])).then(() => false);
  const ended = await Promise.race([work.then(() => true), over]);
  enough.abort();
  return ended;
}
